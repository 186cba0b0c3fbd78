"""What code runs in a session: variable initializers, table initializers, or anything else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from npu_migrate.index.facts import (
    NOTHING,
    Attribute,
    Call,
    Collection,
    Constant,
    Expr,
    FileFacts,
    Name,
    Other,
    Statement,
    argument,
    last_name,
    walk,
)
from npu_migrate.index.names import lookup, spelled
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.reaching import rebinds_by_name
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.contexts import Traced, back, ends, traced, ways
from npu_migrate.semantics.flow import call_targets, externals_called, origins
from npu_migrate.semantics.resolution import Definition
from npu_migrate.semantics.statements import statements_of_scope
from npu_migrate.semantics.uses import argument_name, parameter_name, uses
from npu_migrate.training.pipelines.groups import ungrouped
from npu_migrate.training.pipelines.sessions import Session, operation_run, session_kind

_DEEPEST_CALL = 3
_ITERATOR_MAKERS = frozenset({tf.ONE_SHOT_METHOD, tf.INITIALIZABLE_METHOD})
_IN_SIGHT = frozenset({"run", "close", "graph", "__enter__", "__exit__"})
"""What a session may be asked for without being handed to code that is not in sight."""
_HARMLESS_METHODS = frozenset({"restore", "start_queue_runners", "add_graph", "Coordinator", "FileWriter"})


class Runs(NamedTuple):
    """What the code of one statement does with sessions.

    `initializes`: it runs variable initializers; `tables`: the calls of ``tf.tables_initializer`` among
    them; `uses`: it runs something else, or may.
    """

    initializes: bool
    tables: tuple[Ref, ...]
    uses: bool


_NOTHING_RUN = Runs(False, (), False)
_USES = Runs(False, (), True)


def runs_of(project: Project, facts: FileFacts, statement: Statement, session: str | None) -> Runs:
    """What a statement, with all blocks inside it, runs in the session that is read as `session`.

    Functions of the project that it calls are looked into.
    """
    return _together(
        _runs_of_statement(project, facts, inner, session, 0) for inner in statements_within(facts, statement)
    )


def _runs_of_statement(
    project: Project, facts: FileFacts, statement: Statement, session: str | None, depth: int
) -> Runs:
    parts = []
    for value in statement.values:
        for expr in walk(value):
            if isinstance(expr, Other) and expr.kind == "Yield":
                parts.append(_USES)
            if not isinstance(expr, Call):
                continue
            site = project.sites(facts.key, statement.id).get(id(expr))
            if site is None:
                continue
            ref = Ref(facts.key, site.scope, statement.id, expr)
            fetched = _fetched(project, ref, session)
            if fetched is None and depth > 0 and _runs_any_session(project, ref):
                fetched = argument(expr, "fetches", 0)
            if fetched is None:
                parts.append(_runs_of_call(project, ref, session, depth))
                continue
            names, calls = _initializers(project, ref, fetched)
            parts.append(Runs(True, tuple(calls), False) if names else _USES)
    return _together(parts)


def statements_within(facts: FileFacts, statement: Statement) -> Iterator[Statement]:
    """The statement and all statements inside its blocks that run with it (not those of inner functions)."""
    yield statement
    inside = {statement.id}
    for number in range(statement.id + 1, len(facts.statements)):
        other = facts.statements[number]
        if other.parent not in inside:
            if other.span[0] > statement.span[2]:
                break
            continue
        if other.scope == statement.scope:
            inside.add(other.id)
            yield other


def _fetched(project: Project, ref: Ref, session: str | None) -> Expr | None:
    """What ``sess.run(x)``, ``x.run()`` or ``self.evaluate(x)`` runs; None for other calls."""
    call = ref.expr
    assert isinstance(call, Call)
    func = call.func
    if not isinstance(func, Attribute):
        return None
    receiver = spelled(func.value)
    if func.attr == "evaluate" and receiver == "self":
        return argument(call, "tensors", 0)
    if func.attr != "run":
        return None
    if session is not None and receiver == session:
        return argument(call, "fetches", 0) or func.value
    operation = operation_run(project, ref)
    if operation is not None:
        return operation
    return argument(call, "fetches", 0) if session is None and receiver is None else None


def _runs_any_session(project: Project, ref: Ref) -> bool:
    """Whether a called function runs a session that it reads in its own way, from an object for one."""
    func = ref.expr.func if isinstance(ref.expr, Call) else None
    if not isinstance(func, Attribute) or func.attr != "run":
        return False
    receiver = ref._replace(expr=func.value)
    return any(_is_raw(project, origin) for origin in origins(project, receiver))


def _runs_of_call(project: Project, ref: Ref, session: str | None, depth: int) -> Runs:
    """What a call that is no ``run`` itself may run: ``x.eval()``, or a function that gets the session."""
    call = ref.expr
    assert isinstance(call, Call)
    func = call.func
    if isinstance(func, Attribute):
        if func.attr in ("eval", "train", "fit", "predict"):
            return _USES
        if func.attr in _HARMLESS_METHODS:
            return _NOTHING_RUN
        if (
            session is not None
            and spelled(func.value) == session
            and func.attr in ("make_callable", "partial_run")
        ):
            return _USES
    targets = call_targets(project, ref)
    handed = _names_given_to(project, ref, session, targets)
    if not targets:
        return _USES if handed else _NOTHING_RUN
    if depth > _DEEPEST_CALL:
        return _USES
    return _together(
        _runs_of_function(project, target, handed.get(target, session), depth) for target in targets
    )


def _names_given_to(
    project: Project, ref: Ref, session: str | None, targets: Sequence[Definition]
) -> dict[Definition | None, str]:
    """What each called function calls the session that the call hands on; key None for any other callee."""
    call = ref.expr
    assert isinstance(call, Call)
    if session is None:
        return {}
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    handed = [value for value in given if spelled(value) == session]
    if not handed:
        return {}
    names: dict[Definition | None, str] = {None: session}
    for target in targets:
        parameter = parameter_name(project, ref, target, argument_name(call, handed[0]))
        if parameter is not None:
            names[target] = parameter
    return names


def _runs_of_function(project: Project, target: Definition, session: str | None, depth: int) -> Runs:
    facts = project.facts(target.key)
    assert facts is not None
    return _together(
        _runs_of_statement(project, facts, statement, session, depth + 1)
        for statement in statements_of_scope(project, facts, target.scope)
    )


def _together(parts: Iterable[Runs]) -> Runs:
    found = tuple(parts)
    return Runs(
        any(part.initializes for part in found),
        tuple(call for part in found for call in part.tables),
        any(part.uses for part in found),
    )


def _initializers(project: Project, ref: Ref, fetched: Expr) -> tuple[frozenset[str], list[Ref]]:
    """The variable initializers among what is fetched, through lists, ``tf.group`` and names.

    Nothing when anything else is fetched with them that is not an initializer.
    """
    names: set[str] = set()
    tables: list[Ref] = []
    for origin in ungrouped(project, ref._replace(expr=fetched)):
        expr = origin.expr
        if isinstance(expr, Attribute) and expr.attr in tf.INITIALIZING_ATTRIBUTES:
            names.add(expr.attr)
            continue
        if isinstance(expr, Constant):
            continue
        called = externals_called(project, origin)
        if tf.NO_OP in called:
            continue
        if not called & tf.VARIABLE_INITIALIZERS:
            return frozenset(), []
        names |= called & tf.VARIABLE_INITIALIZERS
        if tf.TABLES_INITIALIZER in called:
            tables.append(origin)
    return frozenset(names), tables


def tables_initializer_calls(project: Project, ref: Ref) -> tuple[Ref, ...]:
    """The ``tf.tables_initializer()`` calls that the op at `ref` contains, through groups and lists."""
    return tuple(
        one for one in ungrouped(project, ref) if tf.TABLES_INITIALIZER in externals_called(project, one)
    )


def initializer_runs(project: Project, session: Session) -> tuple[Ref, ...]:
    """The calls, anywhere in the project, that run variable initializers in this session."""
    created = session.created.expr
    return tuple(run for run, receivers in _all_initializer_runs(project) if created in receivers)


@once
def _all_initializer_runs(project: Project) -> tuple[tuple[Ref, frozenset[Expr]], ...]:
    """Every such call, with what its receiver may be."""
    found = []
    for key, site in project.calls_named("run"):
        call = site.call
        fetched = argument(call, "fetches", 0)
        if fetched is None or not isinstance(call.func, Attribute):
            continue
        ref = Ref(key, site.scope, site.statement, call)
        if _initializers(project, ref, fetched)[0]:
            receivers = origins(project, ref._replace(expr=call.func.value))
            found.append((ref, frozenset(origin.expr for origin in receivers)))
    return tuple(found)


def session_in_reach(project: Project, facts: FileFacts, scope: int, statement: int) -> str | None:
    """What reads the raw session that a function's own code runs at or after `statement`.

    A session from outside: a module's name or an attribute of ``self``.
    """
    for site in facts.calls:
        func = site.call.func
        if site.scope != scope or site.statement < statement or not isinstance(func, Attribute):
            continue
        text = spelled(func.value)
        if func.attr != "run" or text is None or _is_local(facts, site.scope, func.value):
            continue
        receiver = Ref(facts.key, site.scope, site.statement, func.value)
        found = origins(project, receiver)
        if found and all(_is_raw(project, origin) for origin in found if not _is_nothing(origin)):
            return text
    return None


def runs_unnamed_session(project: Project, facts: FileFacts, scope: int, statement: int) -> bool:
    """Whether a function's own code runs a session that it has no name for, at or after `statement`."""
    return any(run >= statement for run in _unnamed_runs(project, facts.key, scope))


@once
def _unnamed_runs(project: Project, key: str, scope: int) -> tuple[int, ...]:
    """The statements of a scope that run a session without a name."""
    facts = project.facts(key)
    assert facts is not None
    found = []
    for site in facts.calls:
        func = site.call.func
        if site.scope != scope or not isinstance(func, Attribute):
            continue
        if func.attr == "run" and isinstance(func.value, Call):
            receiver = Ref(key, site.scope, site.statement, func.value)
            if any(
                externals_called(project, origin) & tf.RAW_SESSIONS for origin in origins(project, receiver)
            ):
                found.append(site.statement)
    return tuple(found)


def runs_only_others(project: Project, session: Session, statement: int) -> bool:
    """Whether a session is seen to run nothing but elements of iterators which its own scope makes elsewhere
    than in `statement`.

    What a larger graph is made from may lie in collections or be built by functions: where it is not certain,
    a needless initialization costs less than a missing one.
    """
    facts = project.facts(session.key)
    assert facts is not None
    if session.of_test or rebinds_by_name(facts) or _runs_default_session(project, session.key):
        return False
    found = uses(project, session.created)
    runs = [use.ref for use in found if use.name == "run" and _is_run_in(project, session, use.ref)]
    return (
        bool(runs)
        and all(use.kind == "attribute" and use.name in _IN_SIGHT for use in found)
        and all(_takes_elements(project, session, run, statement) for run in runs)
    )


def _is_run_in(project: Project, session: Session, method: Ref) -> bool:
    """Whether ``run`` may be read of this session at `method`, and not of another one with the same name."""
    if not isinstance(method.expr, Attribute):
        return False
    made_by = _made_by(project, traced(method._replace(expr=method.expr.value)))
    return not made_by or any(one.ref.expr is session.created.expr for one in made_by)


def _made_by(project: Project, value: Traced) -> tuple[Traced, ...]:
    """The expressions one of which makes a value; none if something else may."""
    steps = (back(project, way) for way in ways(project, value))
    return ends(project, value) if all(step is None or step.complete for step in steps) else ()


def _runs_default_session(project: Project, key: str) -> bool:
    """Whether code of a program of the file `key` may run a session without naming it."""
    return not project.neighbours(key).isdisjoint(_running_default_sessions(project))


@once
def _running_default_sessions(project: Project) -> frozenset[str]:
    """The files that may do so: ``op.run()``, ``tensor.eval()``, or by ``get_default_session()``."""
    calls = (ref_of_call(key, site) for name in ("run", "eval") for key, site in project.calls_named(name))
    running = frozenset(call.key for call in calls if operation_run(project, call) is not None)
    return running.union(project.files_mentioning("get_default_session"))


def _takes_elements(project: Project, session: Session, method: Ref, but: int) -> bool:
    """Whether a run gets elements alone, of iterators that the session's scope makes in other statements than
    `but`; its ``run`` is read at `method`."""
    run = project.parent_ref(method)
    if run is None or not isinstance(run.expr, Call) or len(run.expr.args) + len(run.expr.keywords) != 1:
        return False
    fetched = argument(run.expr, "fetches", 0)
    # Of a list that has a name, somebody may have made another one since.
    values = fetched.items if isinstance(fetched, Collection) else (fetched,)
    elements = [_made_by(project, traced(run._replace(expr=value))) for value in values if value is not None]
    return all(elements) and all(
        maker.key == session.key and maker.scope == session.scope and maker.statement != but
        for found in elements
        for element in found
        for maker in _iterator_makers(project, element)
    )


def _iterator_makers(project: Project, element: Traced) -> tuple[Ref, ...]:
    """The calls that make the iterator whose element this is; one in no scope if that is not certain."""
    unknown = (element.ref._replace(scope=NOTHING),)
    func = element.ref.expr.func if isinstance(element.ref.expr, Call) else None
    if not isinstance(func, Attribute) or func.attr != "get_next":
        return unknown
    made_by = tuple(one.ref for one in _made_by(project, element.at(func.value)))
    calls = [one.expr for one in made_by if isinstance(one.expr, Call)]
    certain = len(calls) == len(made_by) and all(last_name(one.func) in _ITERATOR_MAKERS for one in calls)
    return made_by if certain and made_by else unknown


def _is_local(facts: FileFacts, scope: int, expr: Expr) -> bool:
    """Whether a bare name is bound by the very function that reads it."""
    found = lookup(facts, scope, expr.id) if isinstance(expr, Name) else None
    return found is not None and found.scope == scope


def _is_raw(project: Project, ref: Ref) -> bool:
    return isinstance(ref.expr, Call) and session_kind(project, ref) == "raw"


def _is_nothing(ref: Ref) -> bool:
    return isinstance(ref.expr, Constant) and ref.expr.value is None
