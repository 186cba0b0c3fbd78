"""Sessions in the project: where each is opened, what reads it, and where its initializers run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import (
    NOTHING,
    Attribute,
    Call,
    Collection,
    Comprehension,
    Constant,
    Expr,
    FileFacts,
    Lambda,
    Mapping,
    Name,
    argument,
    last_name,
)
from npu_migrate.index.names import ancestors, enclosing_class, lookup, spelled
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.once import kept_at, once, once_per_file
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.calls.function_values import externals_called_partially
from npu_migrate.semantics.calls.parameters import argument_for
from npu_migrate.semantics.flow import call_sites, call_targets, externals_called, origins
from npu_migrate.semantics.resolution import Definition, External, all_bases, external_names, symbols
from npu_migrate.semantics.uses import Use, is_looked_at

_MANAGED_METHODS = frozenset({"managed_session", "prepare_or_wait_for_session"})
_SESSION_CALLS = (
    "Session",
    "InteractiveSession",
    "MonitoredTrainingSession",
    "MonitoredSession",
    "SingularMonitoredSession",
    "session",
    "test_session",
    "cached_session",
    "get_session",
    "prepare_session",
    "evaluate",
    "train",
    "evaluate_once",
    "evaluation_loop",
    "evaluate_repeatedly",
    *sorted(_MANAGED_METHODS),
)

_OF_SAVERS = frozenset({"restore", "save", "start_queue_runners"})
"""Methods of savers and coordinators, which get a session."""

_CONTAINERS = (Collection, Comprehension, Mapping)
"""What holds a session is none: only its items have a `run`."""


class Session(NamedTuple):
    """A session as one scope sees it.

    `kind`: ``raw`` (runs nothing by itself), ``managed`` (runs the local initializers by itself), or
    ``evaluate`` (a test case's ``self.evaluate``). `created` is the call that makes it, `opened` the
    statement of `scope` from which it is there, `text` what reads it there, ``None`` if nothing does.
    `entered` tells that it is the default session of a ``with`` block, `of_test` that it belongs to a
    ``tf.test.TestCase``, whose ``self.evaluate`` runs in it.
    """

    kind: str
    created: Ref
    key: str
    scope: int
    opened: int
    text: str | None
    entered: bool
    of_test: bool = False


def sessions_of(project: Project, key: str, scope: int) -> tuple[Session, ...]:
    """The sessions that one function (or a module's own code) opens or gets from a factory."""
    return _sessions_by_scope(project).get((key, scope), ())


def leaves_session_alone(use: Use) -> bool:
    """Whether code that gets a session runs no op of the program in it: ``print``, ``saver.save``."""
    if is_looked_at(use):
        return True
    call = use.ref.expr
    if use.kind != "argument" or not isinstance(call, Call) or not isinstance(call.func, Attribute):
        return False
    return call.func.attr in _OF_SAVERS


def all_sessions(project: Project) -> tuple[Session, ...]:
    """All sessions of the project, in order of file and place."""
    return tuple(session for found in _sessions_by_scope(project).values() for session in found)


@once
def _sessions_by_scope(project: Project) -> dict[tuple[str, int], tuple[Session, ...]]:
    found: dict[tuple[str, int], list[Session]] = {}
    for ref, kind in created_sessions(project):
        for session in _seen_from_scopes(project, ref, kind):
            found.setdefault((session.key, session.scope), []).append(session)
    return {
        place: tuple(sorted(sessions, key=lambda item: item.opened))
        for place, sessions in sorted(found.items())
    }


@once
def created_sessions(project: Project) -> tuple[tuple[Ref, str], ...]:
    """The calls that open or run a session, with their kind: those too that no name in sight stands for."""
    return tuple(_created_sessions(project))


def _created_sessions(project: Project) -> Iterator[tuple[Ref, str]]:
    seen = set()
    aliases = set(_names_bound_to_sessions(project))
    for name in (*_SESSION_CALLS, *sorted(aliases - set(_SESSION_CALLS))):
        for key, site in project.calls_named(name):
            if id(site.call) in seen:
                continue
            seen.add(id(site.call))
            ref = ref_of_call(key, site)
            kind = session_kind(project, ref)
            if kind is not None:
                yield ref, kind


def _names_bound_to_sessions(project: Project) -> Iterator[str]:
    """Local names such as ``from tensorflow import Session as S``, and those of a ``partial``."""
    for facts in project.relevant():
        yield from _names_bound_in(project, facts)


@once_per_file
def _names_bound_in(facts: FileFacts) -> tuple[str, ...]:
    return tuple(
        name
        for _, name, binding in facts.bindings()
        if (binding.target is not None and binding.target.name in _SESSION_CALLS)
        or (isinstance(binding.value, Call) and last_name(binding.value.func) == "partial")
    )


@kept_at
def session_kind(project: Project, ref: Ref) -> str | None:
    """``raw``, ``managed`` or ``evaluate`` for a call that opens or runs a session; None for any other."""
    call = ref.expr
    assert isinstance(call, Call)
    names = externals_called(project, ref) or externals_called_partially(project, ref)
    if names & (tf.RAW_SESSIONS | tf.SESSION_GETTERS):
        return "raw"
    if names & tf.MONITORED_SESSIONS or names & tf.MANAGED_LOOPS:
        return "managed"
    if any(name.rpartition(".")[2] in _MANAGED_METHODS and tf.SUPERVISOR in name for name in names):
        return "managed"
    if isinstance(call.func, Attribute) and isinstance(call.func.value, Name):
        facts = project.facts(ref.key)
        assert facts is not None
        if call.func.attr in (*tf.TEST_SESSION_METHODS, "evaluate") and _runs_in_test(project, facts, ref):
            return "evaluate" if call.func.attr == "evaluate" else "raw"
    return None


def operation_run(project: Project, ref: Ref) -> Expr | None:
    """What ``op.run(feed, session)`` or ``tensor.eval(feed, session)`` runs: the receiver.

    None for ``session.run(fetches)``, where a call with arguments may be either, and for a method of the
    project or a function of a module, such as ``tf.app.run()``.
    """
    call = ref.expr
    if not isinstance(call, Call) or not isinstance(call.func, Attribute):
        return None
    if any(keyword.name == "fetches" for keyword in call.keywords):
        return None
    if external_names(project, ref.key, ref.scope, call.func) or call_targets(project, ref):
        return None
    if not call.args:
        return call.func.value
    made = origins(project, ref._replace(expr=call.func.value))
    if any(_is_session(project, one) for one in made):
        return None
    is_op = bool(made) and all(_is_op(project, one) for one in made)
    return call.func.value if is_op or _is_feed(project, ref._replace(expr=call.args[0])) else None


def _is_op(project: Project, ref: Ref) -> bool:
    """Whether a call makes an op or a tensor: it makes a train op, or is a function of TensorFlow's."""
    if not isinstance(ref.expr, Call):
        return False
    if last_name(ref.expr.func) in tf.OPTIMIZING:
        return True
    names = externals_called(project, ref)
    return bool(names) and all(_makes_tensor(name) for name in names)


def _makes_tensor(name: str) -> bool:
    """Whether a name is that of a function, no class, which gives no session or strategy: these run, too."""
    last = name.rpartition(".")[2]
    gives_runner = "session" in last or "strategy" in last
    return name.startswith("tensorflow.") and last[:1].islower() and not gives_runner


def _is_feed(project: Project, ref: Ref) -> bool:
    """Whether a value is a dictionary of what is fed: its keys are tensors, and no words."""
    made = [one.expr for one in origins(project, ref)]
    return bool(made) and all(
        isinstance(one, Mapping)
        and bool(one.keys)
        and not any(key is None or isinstance(key, Constant) for key in one.keys)
        for one in made
    )


def is_supervised(project: Project, session: Session) -> bool:
    """Whether a managed session is a Supervisor's: the raw session itself, without hooks around its runs."""
    func = session.created.expr.func if isinstance(session.created.expr, Call) else None
    if not isinstance(func, Attribute) or func.attr not in _MANAGED_METHODS:
        return False
    return any(tf.SUPERVISOR in name for name in externals_called(project, session.created))


def _runs_in_test(project: Project, facts: FileFacts, ref: Ref) -> bool:
    """Whether the code is a method of a ``tf.test.TestCase``, as far as its bases can be seen."""
    owner = enclosing_class(facts, ref.scope)
    if owner == NOTHING:
        return False
    bases = all_bases(project, Definition(facts.key, owner))
    return any(isinstance(base, External) and base.name == tf.TEST_CASE for base in bases)


def is_test(project: Project, facts: FileFacts, scope: int) -> bool:
    """Whether a function is one test of a test case, as far as the bases of its class can be seen."""
    owner = facts.scopes[scope].parent
    if not facts.scopes[scope].name.startswith("test") or facts.scopes[owner].kind != "class":
        return False
    return is_test_case(project, Definition(facts.key, owner))


def is_test_case(project: Project, owner: Definition) -> bool:
    """Whether a class is derived from a ``TestCase``, whosever that is: absl's, TensorFlow's, unittest's."""
    return any(
        isinstance(base, External) and base.name.rpartition(".")[2].endswith("TestCase")
        for base in all_bases(project, owner)
    )


def _seen_from_scopes(project: Project, created: Ref, kind: str) -> Iterator[Session]:
    """Follows a new session to what keeps it: ``with … as``, assignments, factories' callers."""
    facts = project.facts(created.key)
    assert facts is not None
    if kind == "evaluate" or externals_called(project, created) & tf.MANAGED_LOOPS:
        scope = facts.statements[created.statement].scope
        yield Session(kind, created, created.key, scope, created.statement, None, False, kind == "evaluate")
        return
    seen: set[int] = set()
    stack = [created]
    while stack:
        ref = stack.pop()
        if id(ref.expr) in seen:
            continue
        seen.add(id(ref.expr))
        outer = None if _is_whole_value(project, ref) else project.parent_ref(ref)
        if outer is None:
            yield from _kept(project, created, kind, ref, stack)
        elif isinstance(outer.expr, Attribute):
            around = project.parent_ref(outer)
            if outer.expr.attr in ("as_default", "__enter__") and around is not None:
                stack.append(around)
        elif isinstance(outer.expr, Lambda):
            stack.extend(call_sites(project, Definition(outer.key, outer.expr.scope)))
        elif isinstance(outer.expr, Call):
            if last_name(outer.expr.func) == "enter_context" and ref.expr in outer.expr.args:
                stack.append(outer)
        elif not isinstance(outer.expr, _CONTAINERS):
            stack.append(outer)


def _is_whole_value(project: Project, ref: Ref) -> bool:
    """Whether the expression stands alone in its statement: the usual case, told without its site."""
    return any(value is ref.expr for value in project.statement(ref).values)


def _kept(project: Project, created: Ref, kind: str, ref: Ref, stack: list[Ref]) -> Iterator[Session]:
    facts = project.facts(ref.key)
    assert facts is not None
    statement = facts.statements[ref.statement]
    if statement.kind == "Return":
        stack.extend(call_sites(project, Definition(ref.key, statement.scope)))
    elif statement.kind == "With":
        for target, value in zip(statement.targets, statement.values, strict=True):
            if value is ref.expr:
                text = None if target is None else spelled(target)
                of_test = _called_name(created) in tf.TEST_SESSION_METHODS
                yield Session(kind, created, ref.key, statement.scope, statement.id, text, True, of_test)
    elif statement.kind in ("Assign", "AnnAssign"):
        for target in statement.targets:
            text = None if target is None else spelled(target)
            if text is not None:
                interactive = "tensorflow.InteractiveSession" in externals_called(project, created)
                yield Session(kind, created, ref.key, statement.scope, statement.id, text, interactive)


def _called_name(ref: Ref) -> str:
    return (last_name(ref.expr.func) if isinstance(ref.expr, Call) else None) or ""


def session_parameter(project: Project, key: str, scope: int) -> str | None:
    """The parameter of a function that is a session: it is called so, and ``.run`` is called on it, or every
    visible caller gives a session."""
    facts = project.facts(key)
    assert facts is not None
    function = facts.scopes[scope]
    for parameter in function.parameters:
        if parameter.name in ("sess", "session") and _runs_on(project, facts, scope, parameter.name):
            return parameter.name
    return None


def _runs_on(project: Project, facts: FileFacts, scope: int, name: str) -> bool:
    for site in project.names(facts.key, name):
        if isinstance(site.parent, Attribute) and site.parent.attr == "run":
            found = lookup(facts, site.scope, name)
            if found is not None and found.scope == scope:
                return True
    target = Definition(facts.key, scope)
    given = [argument_for(project, site, target, name) for site in call_sites(project, target)]
    return bool(given) and all(
        value is not None and any(_is_session(project, origin) for origin in origins(project, value))
        for value in given
    )


def _is_session(project: Project, ref: Ref) -> bool:
    return isinstance(ref.expr, Call) and session_kind(project, ref) is not None


def graph_in_force(facts: FileFacts, statement: int) -> str | int:
    """What names the default graph at a statement: its spelling, the block that enters it, else 0."""
    for number in (statement, *ancestors(facts, statement)):
        outer = facts.statements[number]
        if outer.kind != "With":
            continue
        for target, value in zip(outer.targets, outer.values, strict=True):
            if isinstance(value, Call) and last_name(value.func) == "as_default":
                named = None if target is None else spelled(target)
                receiver = value.func.value if isinstance(value.func, Attribute) else value
                if _is_of_default_graph(facts, outer.scope, receiver):
                    continue
                return named or spelled(receiver) or outer.id + 1
    return 0


def _is_of_default_graph(facts: FileFacts, scope: int, receiver: Expr) -> bool:
    """Whether ``with receiver.as_default()`` is that of a session without a ``graph=``."""
    made = [receiver]
    if isinstance(receiver, Name):
        found = lookup(facts, scope, receiver.id)
        made = [one.value for one in found.bindings if one.value is not None] if found is not None else []
    return bool(made) and all(
        isinstance(one, Call)
        and last_name(one.func) in ("Session", "InteractiveSession")
        and argument(one, "graph", 1) is None
        for one in made
    )


def graph_of(project: Project, facts: FileFacts, session: Session) -> str | int:
    """What names the graph of a session, as `graph_in_force` does."""
    given = graph_argument(project, session)
    if given is None:
        return graph_in_force(facts, session.opened)
    return spelled(given) or graph_in_force(facts, session.opened)


def graph_argument(project: Project, session: Session) -> Expr | None:
    """The ``graph=`` that a raw session was made with."""
    call = session.created.expr
    assert isinstance(call, Call)
    if symbols(project, session.created.key, session.created.scope, call.func):
        return argument(call, "graph", 1)
    return None
