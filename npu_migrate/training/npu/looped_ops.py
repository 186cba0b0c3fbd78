"""Ops that the device is to repeat: which config they belong to, who runs them, how often they are built.

Sources: DOC-ITER, CODE:util.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from npu_migrate.index.facts import (
    NOTHING,
    Call,
    Constant,
    Expr,
    FileFacts,
    Mapping,
    Name,
    Statement,
    Subscript,
    argument,
    walk,
)
from npu_migrate.index.names import ancestors, code_scope, spelled
from npu_migrate.knowledge import npu
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.calls.callers import callers
from npu_migrate.semantics.dead_code import is_dead
from npu_migrate.semantics.flow import origins, sources_of
from npu_migrate.semantics.objects import identities
from npu_migrate.semantics.resolution import Definition
from npu_migrate.semantics.uses import Use, uses
from npu_migrate.semantics.values.evidence import conditions_at
from npu_migrate.training.npu.config_reach import readers_of
from npu_migrate.training.npu.device_loop import LoopPart, fetched_origins, loop_parts, sessions_created
from npu_migrate.training.npu.offload import Offload, training_hooks
from npu_migrate.training.pipelines.sessions import operation_run

_POSITION_OF_OP = {"set": 1, "create": 0}
_LOOPS = frozenset({"For", "AsyncFor", "While"})
_TRANSPARENT = frozenset({"With", "AsyncWith", "Try"})
_LONGEST_WALK = 100
_MOST_CALLS = 4
"""How many functions are looked at, one calling the other."""

_BARRED = -2


def looped_op(part: LoopPart) -> Ref | None:
    """The op that ``set_iteration_per_loop`` or ``create_iteration_per_loop_var`` gets; None for others."""
    position = _POSITION_OF_OP.get(part.kind)
    if position is None or not isinstance(part.call.expr, Call):
        return None
    given = argument(part.call.expr, "train_op", position)
    return None if given is None else part.call._replace(expr=given)


def is_dropped(project: Project, part: LoopPart) -> bool:
    """Whether nobody reads the op that a part makes, or one like it, nor asks the graph for its name."""
    near = project.neighbours(part.call.key)
    alike = (one for one in loop_parts(project) if one.kind in _POSITION_OF_OP and one.call.key in near)
    if any(not _is_laid_aside(project, use) for one in alike for use in uses(project, one.call)):
        return False
    return not any(project.contains(key, npu.ITERATION_OP.encode()) for key in sorted(near))


def _is_laid_aside(project: Project, use: Use) -> bool:
    """Whether a use puts an op into a dictionary, out of which nobody takes it: ``ops["looped"] = …``."""
    statement = project.statement(use.ref)
    target = statement.targets[0] if statement.kind == "Assign" and len(statement.targets) == 1 else None
    if use.kind != "stored" or not isinstance(target, Subscript) or not isinstance(target.item, Constant):
        return False
    made = origins(project, use.ref._replace(expr=target.value, path=()))
    others = [other for one in made for other in uses(project, one)]
    return (
        all(isinstance(one.expr, Mapping) for one in made)
        and bool(others)
        and all(_takes_another(project, other, target) for other in others)
    )


def _takes_another(project: Project, use: Use, stored: Subscript) -> bool:
    """Whether a use of a dictionary takes an item with another key, or is the store itself."""
    item = use.ref.expr
    if use.kind != "contained" or not isinstance(item, Subscript) or not isinstance(item.item, Constant):
        return False
    same = isinstance(stored.item, Constant) and item.item.value == stored.item.value
    site = project.site(use.ref)
    return not same or (site is not None and site.stored)


class _Fetched(NamedTuple):
    """A ``run`` and what it fetches."""

    call: Ref
    fetched: tuple[Ref, ...]


@once
def _fetched(project: Project) -> tuple[_Fetched, ...]:
    found = []
    for key, site in project.calls_named("run"):
        ref = ref_of_call(key, site)
        fetches = operation_run(project, ref) or argument(site.call, "fetches", 0)
        if fetches is not None:
            found.append(_Fetched(ref, tuple(fetched_origins(project, ref._replace(expr=fetches)))))
    return tuple(found)


def runs_itself(project: Project, op: Ref) -> Ref | None:
    """A ``run`` that is seen to fetch the op at `op`, in a file of the same programs, and is no dead code."""
    near = project.neighbours(op.key)
    made = {(id(one.expr), one.path) for one in origins(project, op) if isinstance(one.expr, Call)}
    items = {identity for identity in (() if made else identities(project, op)) if identity[1]}
    for run in _fetched(project):
        is_run = run.call.key in near and (
            any((id(one.expr), one.path) in made for one in run.fetched)
            or any(items & identities(project, one) for one in (run.fetched if items else ()))
        )
        if is_run and not is_dead(project, run.call):
            return run.call
    return None


def loop_around(project: Project, part: LoopPart) -> Ref | None:
    """The loop whose every turn builds a part anew, for an op and a session that were there before the loop.

    It may be the loop that calls the function which builds the part, if nothing else does. None where a
    condition or an early end lies between, or where the loop makes the op or the session, and with it perhaps
    a graph of its own.
    """
    op = looped_op(part)
    given = [] if op is None else [ref for ref in (op, part.session) if ref is not None]
    place = part.call if given else None
    for _ in range(_MOST_CALLS):
        number = None if place is None else _enclosing_loop(project, place)
        if place is None or number == _BARRED:
            return None
        if number is not None:
            return _that_builds_anew(project, place, number, given)
        place = _only_call(project, place)
    return None


def _enclosing_loop(project: Project, place: Ref) -> int | None:
    """The loop around a place in its function; None if there is none, `_BARRED` if something lies between."""
    facts = project.facts(place.key)
    assert facts is not None
    for number in ancestors(facts, place.statement):
        statement = facts.statements[number]
        if statement.scope != place.scope:
            return None
        if statement.kind in _LOOPS:
            return number
        if statement.kind not in _TRANSPARENT and statement.kind != "If":
            return _BARRED
    return None


def _that_builds_anew(project: Project, place: Ref, number: int, given: Iterable[Ref]) -> Ref | None:
    facts = project.facts(place.key)
    assert facts is not None
    statement = facts.statements[number]
    loop = Ref(place.key, statement.scope, number, statement.values[0])
    outside = all(_is_made_before(project, loop, ref) for ref in given)
    every_turn = _runs_every_turn(facts, loop, place)
    return loop if outside and every_turn and not _ends_early(facts, loop) else None


def _only_call(project: Project, place: Ref) -> Ref | None:
    """The only call of the function around a place that it always reaches; None if there may be others."""
    facts = project.facts(place.key)
    assert facts is not None
    function = Definition(place.key, code_scope(facts, place.scope))
    if facts.scopes[function.scope].kind != "function" or any(True for _ in conditions_at(project, place)):
        return None
    return callers(project, function).only


def _is_made_before(project: Project, loop: Ref, given: Ref) -> bool:
    """Whether all that `given` may be was made outside the loop, as far as each step back can be seen."""
    facts = project.facts(loop.key)
    assert facts is not None
    seen: set[int] = set()
    stack = list(sources_of(project, given) or ())
    if not stack:
        return False
    while stack:
        ref = stack.pop()
        if id(ref.expr) in seen:
            continue
        seen.add(id(ref.expr))
        inside = ref.key == loop.key and loop.statement in (ref.statement, *ancestors(facts, ref.statement))
        sources = sources_of(project, ref) or ()
        is_handed_on = bool(sources) and isinstance(ref.expr, Name) and ref.statement != loop.statement
        if (inside and not is_handed_on) or len(seen) > _LONGEST_WALK:
            return False
        stack.extend(sources)
    return True


def _runs_every_turn(facts: FileFacts, loop: Ref, call: Ref) -> bool:
    """Whether no condition around a call may differ from turn to turn: the loop binds none of its words."""
    inside = [
        one
        for one in facts.statements[loop.statement :]
        if loop.statement in (one.id, *ancestors(facts, one.id))
    ]
    bound = {spelled(target) for one in inside for target in one.targets if target is not None}
    for number in ancestors(facts, call.statement):
        if number == loop.statement:
            return True
        statement = facts.statements[number]
        for expr in (part for value in statement.values for part in walk(value)):
            if statement.kind == "If" and _may_change(expr, bound):
                return False
    return False


def _may_change(expr: Expr, bound: set[str | None]) -> bool:
    """Whether a part of a condition may get another value: methods may change what an object holds."""
    word = spelled(expr)
    return isinstance(expr, Call) or (word is not None and (word in bound or word.startswith("self.")))


def _ends_early(facts: FileFacts, loop: Ref) -> bool:
    """Whether the loop always ends in its first turn."""
    return any(
        inner.kind in ("Break", "Return") and _is_certain(facts, inner, loop.statement)
        for inner in facts.statements[loop.statement :]
        if inner.scope == loop.scope
    )


def _is_certain(facts: FileFacts, inner: Statement, loop: int) -> bool:
    """Whether a statement of a loop's body is reached in each turn that raises nothing."""
    current = inner
    while current.parent != loop:
        if current.parent == NOTHING or current.block != "body":
            return False
        current = facts.statements[current.parent]
        if current.kind not in _TRANSPARENT:
            return False
    return current.block == "body"


def linked_parts(project: Project, offload: Offload) -> tuple[LoopPart, ...]:
    """The parts of loops that are known to run in a session with the config, or in an Estimator's."""
    if offload.entry is None:
        return ()
    sessions = {id(reader.ref.expr) for reader in readers_of(project, offload.objects)}
    hooks = {id(hook.expr) for hook in training_hooks(project, offload)}
    return tuple(
        part
        for part in loop_parts(project)
        if id(part.call.expr) in hooks
        or (
            part.session is not None
            and any(id(made.expr) in sessions for made in sessions_created(project, part.session))
        )
    )
