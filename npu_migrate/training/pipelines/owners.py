"""Which sessions run the pipeline that a piece of code builds.

The search starts at the function that builds it and goes outwards: its own sessions, those of its class,
those opened by functions that its callers call afterwards, then the callers' callers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from npu_migrate.index.facts import NOTHING, Attribute, FileFacts, last_name
from npu_migrate.index.names import ancestors, enclosing_class, spelled
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.calls.function_calls import all_calls_of, goes_out_of_sight
from npu_migrate.semantics.flow import activations, call_targets, calls_elsewhere
from npu_migrate.semantics.inheritance import family, methods_by_class
from npu_migrate.semantics.resolution import Definition
from npu_migrate.training.pipelines.chronology import Mark, always_built_behind_session, built_before_session
from npu_migrate.training.pipelines.input_functions import input_employment
from npu_migrate.training.pipelines.session_runs import (
    runs_only_others,
    runs_unnamed_session,
    session_in_reach,
)
from npu_migrate.training.pipelines.sessions import (
    Session,
    all_sessions,
    graph_in_force,
    graph_of,
    is_test,
    session_parameter,
    sessions_of,
)

_LONGEST_SEARCH = 400
_DEEPEST_CALL = 4


class Owner(NamedTuple):
    """One session that runs a pipeline.

    `kind`: ``session``; ``parameter`` (the function at `key`, `scope` has an open session, read as `text`);
    ``input-fn`` (an Estimator runs it); ``unnamed`` (``tf.Session().run(…)``). `barrier` is the statement of
    the session's scope after which the pipeline is there, `NOTHING` when it is built elsewhere. `lazy` tells
    that a property is read there, which may have built the pipeline earlier.
    """

    kind: str
    key: str
    scope: int
    barrier: int
    session: Session | None = None
    text: str | None = None
    lazy: bool = False


class Owners(NamedTuple):
    """All owners found; `complete` tells that every way to the pipeline leads to one of them, and `seen` that
    a run of the programs has shown them."""

    found: tuple[Owner, ...]
    complete: bool
    seen: bool = False


FindOwners = Callable[[Project, str, int, int], Owners]
"""Who finds the owners of what a statement builds: given the file, the function, lambda or module scope, and
the statement."""


@once
def owners_of(project: Project, key: str, scope: int, statement: int) -> Owners:
    """The owners of what `statement` builds in the function, lambda or module scope `scope`."""
    found: list[Owner] = []
    complete = _search(project, key, scope, statement, found, set(), False)
    return Owners(tuple(_earliest(dict.fromkeys(found))), complete and bool(found))


def _earliest(found: Iterable[Owner]) -> Iterator[Owner]:
    """Leaves out later reads of a property in a session that has got the pipeline before."""
    owners = list(found)
    for owner in owners:
        same = [other for other in owners if other.session == owner.session is not None]
        if not (owner.lazy and any(other.barrier < owner.barrier for other in same)):
            yield owner


def _search(
    project: Project,
    key: str,
    scope: int,
    statement: int,
    found: list[Owner],
    seen: set[tuple[str, int, int]],
    lazy: bool,
) -> bool:
    if (key, scope, statement) in seen:
        return True
    seen.add((key, scope, statement))
    facts = project.facts(key)
    if facts is None or len(seen) > _LONGEST_SEARCH:
        return False
    nearest = [owner._replace(lazy=lazy) for owner in _here(project, facts, scope, statement)]
    if not nearest and runs_unnamed_session(project, facts, scope, statement):
        return False
    if nearest:
        found.extend(nearest)
        return True
    in_sight = key not in project.programs.ambiguous
    if scope == 0:
        elsewhere = list(_for_module(project, facts))
        found.extend(elsewhere)
        return bool(elsewhere) and in_sight
    definition = Definition(key, scope)
    employment = input_employment(project, definition)
    if employment != "no":
        found.append(Owner("input-fn", key, scope, NOTHING))
        if employment in ("only", "tensors"):
            return True
    direct = (*activations(project, definition), *calls_elsewhere(project, definition))
    sites = tuple(dict.fromkeys((*direct, *all_calls_of(project, definition))))
    complete = in_sight and (bool(sites) or employment != "no")
    if len(sites) > len(direct) and employment == "no" and goes_out_of_sight(project, definition):
        complete = False
    for site in sites:
        caller = _code_scope(project, site)
        read = lazy or isinstance(site.expr, Attribute)
        complete = _search(project, site.key, caller, site.statement, found, seen, read) and complete
    return complete


def _code_scope(project: Project, site: Ref) -> int:
    """The function, lambda or module scope that a call belongs to."""
    facts = project.facts(site.key)
    assert facts is not None
    current = facts.scopes[site.scope]
    while current.kind not in ("function", "lambda", "module"):
        current = facts.scopes[current.parent]
    return current.id


def _here(project: Project, facts: FileFacts, scope: int, statement: int) -> Iterator[Owner]:
    """The nearest owners: of the scope itself, of a parameter, of functions called later, of the class."""
    own = [
        session
        for session in sessions_of(project, facts.key, scope)
        if may_run_after(facts, session, statement) and _same_graph(project, facts, session, statement)
    ]
    kept = [s for s in own if s.kind != "evaluate"] or own[:1]
    if len(kept) > 1:
        kept = [s for s in kept if not runs_only_others(project, s, statement)] or kept
    if kept:
        yield from (Owner("session", facts.key, scope, statement, session) for session in kept)
        return
    if facts.scopes[scope].kind == "function":
        parameter = session_parameter(project, facts.key, scope)
        if parameter is not None:
            yield Owner("parameter", facts.key, scope, statement, None, parameter)
            return
        reached = session_in_reach(project, facts, scope, statement)
        if reached is not None and not _opened_later(project, facts, scope, statement, reached):
            yield Owner("parameter", facts.key, scope, statement, None, reached)
            return
    below = list(_below(project, facts, scope, statement, set(), 0))
    if below:
        yield from below
        return
    yield from _of_class(project, facts, scope, statement)


def opening_mark(project: Project, session: Session, barrier: int = NOTHING) -> Mark:
    """Where a session is opened, or behind that, where what its scope builds for it is there."""
    facts = project.facts(session.key)
    assert facts is not None
    opened = facts.statements[session.opened]
    if barrier > session.opened:
        return Mark(session.key, session.scope, barrier, True)
    around = [facts.statements[number].kind for number in ancestors(facts, opened.id)]
    once = opened.kind != "With" and bool(around) and around[0] == "If"
    return Mark(session.key, session.scope, opened.id, True, once)


def _opened_later(project: Project, facts: FileFacts, scope: int, statement: int, text: str) -> bool:
    """Whether the session that is read as `text` may not be there yet when the pipeline is built."""
    name = text.rpartition(".")[2]
    opened = [
        opening_mark(project, session)
        for session in all_sessions(project)
        if session.text is not None and session.text.rpartition(".")[2] == name
    ]
    build = Mark(facts.key, scope, statement, False)
    return bool(opened) and built_before_session(project, (build, *opened))


def may_run_after(facts: FileFacts, session: Session, statement: int) -> bool:
    """Whether the session may still be used after `statement` of its scope."""
    opened = facts.statements[session.opened]
    if session.kind == "evaluate" or (opened.kind == "Expr" and session.kind == "managed"):
        return session.opened >= statement
    if opened.kind == "With":
        return session.opened > statement or opened.span[2] >= facts.statements[statement].span[0]
    return not _is_closed_before(facts, session, statement)


def _is_closed_before(facts: FileFacts, session: Session, statement: int) -> bool:
    """Whether every way from the opening of a session to `statement` closes it."""
    blocks = {
        (facts.statements[one].parent, facts.statements[one].block)
        for one in (statement, *ancestors(facts, statement))
    }
    return any(
        site.scope == session.scope
        and session.opened < site.statement < statement
        and last_name(site.call.func) == "close"
        and spelled(site.call.func) == f"{session.text}.close"
        and facts.statements[site.statement].kind == "Expr"
        and (facts.statements[site.statement].parent, facts.statements[site.statement].block) in blocks
        for site in facts.calls
    )


def _same_graph(project: Project, facts: FileFacts, session: Session, statement: int) -> bool:
    """Whether a session of this scope can be one of the graph that is the default at `statement`."""
    if session.created.key != facts.key or session.created.scope != session.scope:
        return True
    return graph_of(project, facts, session) == graph_in_force(facts, statement)


def _below(
    project: Project, facts: FileFacts, scope: int, statement: int, seen: set[Definition], depth: int
) -> Iterator[Owner]:
    """Sessions that functions called from `scope` at or after `statement` open."""
    if depth > _DEEPEST_CALL:
        return
    first = _loop_around(facts, statement)
    for called_in, targets in _calls_of_ours(project, facts.key, scope):
        if called_in < first:
            continue
        for target in targets:
            if target in seen:
                continue
            seen.add(target)
            inner = project.facts(target.key)
            if inner is None:
                continue
            for session in sessions_of(project, target.key, target.scope):
                if session.kind != "evaluate":
                    yield Owner("session", target.key, target.scope, NOTHING, session)
            yield from _below(project, inner, target.scope, 0, seen, depth + 1)


@once
def _calls_of_ours(project: Project, key: str, scope: int) -> tuple[tuple[int, tuple[Definition, ...]], ...]:
    """The calls in a scope of functions that are in sight, each with its statement; few calls are."""
    facts = project.facts(key)
    assert facts is not None
    found = (
        (site.statement, tuple(call_targets(project, ref_of_call(key, site))))
        for site in facts.calls
        if site.scope == scope
    )
    return tuple((statement, targets) for statement, targets in found if targets)


def _loop_around(facts: FileFacts, statement: int) -> int:
    """The outermost loop around a statement, in which what stands before it may run after it."""
    if statement == NOTHING:
        return 0
    first = statement
    for number in ancestors(facts, statement):
        outer = facts.statements[number]
        if outer.scope == facts.statements[statement].scope and outer.kind in ("For", "While", "AsyncFor"):
            first = number
    return first


def _of_class(project: Project, facts: FileFacts, scope: int, statement: int) -> Iterator[Owner]:
    """The sessions that other methods of the same class open; the barrier is a call of this method there.

    One that is always open before is read from the object. A test has its object for itself.
    """
    owner = enclosing_class(facts, scope)
    if owner == NOTHING:
        return
    definition = Definition(facts.key, scope)
    for member in family(project, Definition(facts.key, owner)):
        inner = project.facts(member.key)
        assert inner is not None
        for method in methods_by_class(project, inner).get(member.scope, ()):
            barrier = _call_within(project, definition, member.key, method)
            if method != scope and (barrier != NOTHING or not is_test(project, inner, method)):
                for session in sessions_of(project, member.key, method):
                    if session.kind == "evaluate":
                        continue
                    if session.kind == "raw" and (session.text or "").startswith("self."):
                        build = Mark(facts.key, scope, statement, False)
                        if always_built_behind_session(project, (build, opening_mark(project, session))):
                            yield Owner("parameter", facts.key, scope, statement, None, session.text)
                            continue
                    yield Owner("session", member.key, method, barrier, session)


def _call_within(project: Project, target: Definition, key: str, scope: int) -> int:
    for site in all_calls_of(project, target):
        if site.key == key and site.scope == scope:
            return site.statement
    return NOTHING


def _for_module(project: Project, facts: FileFacts) -> Iterator[Owner]:
    """For a pipeline built by a module's own code: the sessions of its functions, else of its importers."""
    keys = [facts.key]
    while keys:
        sessions = [s for s in all_sessions(project) if s.key in keys and s.kind != "evaluate"]
        if sessions:
            yield from (Owner("session", s.key, s.scope, NOTHING, s) for s in sessions)
            return
        importers = project.importers(facts.key)
        keys = [] if keys != [facts.key] else list(importers)
