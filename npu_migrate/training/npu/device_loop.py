"""The device's half of iteration offload: what makes it repeat the train op N times, and who runs that op.

Sources: DOC-ITER, CODE:util.py, CODE:npu_hook.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import Attribute, Call, Collection, Constant, Mapping, argument, last_name
from npu_migrate.knowledge import npu
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.once import once, once_at_in_cycles
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.aliases import aliases_of
from npu_migrate.semantics.contexts import ends, traced
from npu_migrate.semantics.flow import externals_called, origins
from npu_migrate.semantics.values.evidence import evidence
from npu_migrate.semantics.values.value import UNKNOWN, Value, join
from npu_migrate.training.pipelines.sessions import operation_run, session_kind
from npu_migrate.training.reading.session_fetches import all_fetchings

_KINDS = {
    npu.SET_ITERATIONS: "set",
    npu.CREATE_ITERATIONS: "create",
    npu.LOAD_ITERATIONS: "load",
    npu.ITERATIONS_HOOK: "hook",
}
_GROUP = "group"
_POSITION_OF_N = {"set": 2, "load": 1, "hook": 0}
_WITH_SESSION = frozenset({"set", "load"})
_WITH_OPERATION = frozenset({"set", "create", "group"})
_GROUPS = tf.GROUPS | {"tensorflow.identity"}


class LoopPart(NamedTuple):
    """A call that takes part in making the device repeat the train op.

    `kind`: ``set`` (``set_iteration_per_loop``), ``create`` and ``load`` (the pair of `IterationPerLoop`),
    ``hook`` (``SetIterationsVarHook``), ``group`` (a group named IterationOp). `n` is the expression of N,
    `session` that of the session, where the call has them.
    """

    kind: str
    call: Ref
    n: Ref | None
    session: Ref | None


@once
def loop_parts(project: Project) -> tuple[LoopPart, ...]:
    """All such calls of the project, in order of file and place."""
    found = sorted(_find(project), key=lambda part: (part.call.key, part.call.expr.span))
    return tuple(found)


def _find(project: Project) -> Iterator[LoopPart]:
    names = {name.rpartition(".")[2] for name in _KINDS} | {_GROUP}
    for name in sorted(names | aliases_of(project, names)):
        for key, site in project.calls_named(name):
            part = _part(project, ref_of_call(key, site), site.call)
            if part is not None:
                yield part


def _part(project: Project, ref: Ref, call: Call) -> LoopPart | None:
    names = externals_called(project, ref)
    if f"tensorflow.{_GROUP}" in names:
        name = argument(call, "name")
        is_loop = isinstance(name, Constant) and name.value == npu.ITERATION_OP
        return LoopPart("group", ref, None, None) if is_loop else None
    kind = next((_KINDS[name] for name in names if name in _KINDS), None)
    if kind is None:
        return None
    n = argument(call, npu.ITERATIONS_PER_LOOP, _POSITION_OF_N[kind]) if kind in _POSITION_OF_N else None
    session = argument(call, "sess", 0) if kind in _WITH_SESSION else None
    return LoopPart(
        kind,
        ref,
        None if n is None else ref._replace(expr=n),
        None if session is None else ref._replace(expr=session),
    )


def parts_in(project: Project, program: str) -> tuple[LoopPart, ...]:
    """The parts in the files of a program."""
    files = project.programs.by_entry[program].files
    return tuple(part for part in loop_parts(project) if part.call.key in files)


def is_complete(parts: tuple[LoopPart, ...]) -> bool:
    """Whether the parts make a loop: ``set``, or ``create`` with ``load``, or ``hook`` with ``group``."""
    kinds = {part.kind for part in parts}
    return "set" in kinds or kinds >= {"create", "load"} or kinds >= {"hook", "group"}


@once_at_in_cycles(())
def sessions_created(project: Project, session: Ref) -> tuple[Ref, ...]:
    """The calls that open the sessions that `session` may mean; none if one of them cannot be seen."""
    found = []
    for end in ends(project, traced(session)):
        if isinstance(end.ref.expr, Constant) and end.ref.expr.value is None:
            continue
        made = None if end.keys else _session_call(project, end.ref)
        if made is None:
            return ()
        found.append(made)
    return tuple(found)


def _session_call(project: Project, ref: Ref) -> Ref | None:
    if not isinstance(ref.expr, Call) or ref.path:
        return None
    if session_kind(project, ref) is not None:
        return ref
    func = ref.expr.func
    if isinstance(func, Attribute) and func.attr in ("as_default", "__enter__"):
        inner = sessions_created(project, ref._replace(expr=func.value))
        return inner[0] if len(inner) == 1 else None
    return None


# -- who runs the train op -----------------------------------------------------------------------------


class Run(NamedTuple):
    """A run of a train op: ``session.run(op)``, or ``op.run()``.

    `parts` are the loop parts that its op went through: without any the op is a plain train op.
    """

    call: Ref
    session: Ref
    parts: tuple[LoopPart, ...]


@once
def training_runs(project: Project) -> tuple[Run, ...]:
    """All ``run`` calls that are seen to run a train op."""
    return tuple(_training_runs(project))


def _training_runs(project: Project) -> Iterator[Run]:
    for key, site in project.calls_named("run"):
        call = site.call
        if not isinstance(call.func, Attribute):
            continue
        ref = Ref(key, site.scope, site.statement, call)
        operation = operation_run(project, ref)
        fetches = operation or argument(call, "fetches", 0)
        if fetches is None:
            continue
        trains, parts = _fetched(project, ref._replace(expr=fetches))
        if trains and operation is None:
            yield Run(ref, ref._replace(expr=call.func.value), parts)
        elif trains:
            # It runs in the default session, or in one that it is given.
            sessions = {
                id(one.session.ref.expr): one for one in all_fetchings(project) if one.call.expr is call
            }
            if len(sessions) == 1:
                yield from (Run(ref, one.session.ref, parts) for one in sessions.values())


def _fetched(project: Project, fetches: Ref) -> tuple[bool, tuple[LoopPart, ...]]:
    """Whether a train op is among the fetches, and the loop parts that it went through."""
    by_call = {id(part.call.expr): part for part in loop_parts(project)}
    trains = False
    parts: dict[int, LoopPart] = {}
    for origin in fetched_origins(project, fetches):
        part = by_call.get(id(origin.expr))
        if part is not None and part.kind in _WITH_OPERATION:
            trains = True
            parts[id(origin.expr)] = part
        elif isinstance(origin.expr, Call) and last_name(origin.expr.func) in tf.OPTIMIZING:
            trains = True
    return trains, tuple(parts.values())


def fetched_origins(project: Project, fetches: Ref) -> Iterator[Ref]:
    """What is fetched, each once: the members of collections and groups, but not what a loop repeats."""
    by_call = {id(part.call.expr) for part in loop_parts(project) if part.kind in _WITH_OPERATION}
    seen: set[int] = set()
    stack = [fetches]
    while stack:
        for origin in origins(project, stack.pop()):
            expr = origin.expr
            if id(expr) in seen:
                continue
            seen.add(id(expr))
            if id(expr) in by_call:
                yield origin
            elif isinstance(expr, Collection):
                stack.extend(origin._replace(expr=item, path=()) for item in expr.items)
            elif isinstance(expr, Mapping):
                stack.extend(origin._replace(expr=item, path=()) for item in expr.values)
            elif (
                isinstance(expr, Call)
                and last_name(expr.func) not in tf.OPTIMIZING
                and externals_called(project, origin) & _GROUPS
            ):
                stack.extend(origin._replace(expr=item, path=()) for item in expr.args)
            else:
                yield origin


def optimizes(project: Project, program: str) -> bool:
    """Whether the files of a program make a train op by an optimizer."""
    files = project.programs.by_entry[program].files
    return any(key in files for name in sorted(tf.OPTIMIZING) for key, _ in project.calls_named(name))


def n_of_run(project: Project, run: Run, program: str) -> Value:
    """N of the op that a run fetches; unknown where no part of a loop gives it."""
    return join([n_of_part(project, part, program) for part in run.parts])


def n_of_part(project: Project, part: LoopPart, program: str) -> Value:
    """N of the loop that a part belongs to, as the part itself or its other half gives it."""
    giving = {"create": "load", "group": "hook"}.get(part.kind)
    givers = [part] if giving is None else [p for p in parts_in(project, program) if p.kind == giving]
    return join([UNKNOWN if giver.n is None else evidence(project, giver.n, program) for giver in givers])
