"""Updates that one run certainly holds, told apart by the calls through which each of them was made.

`updates` knows an update by the expression that makes it. Where a helper makes two, that is one expression.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from npu_migrate.index.facts import Attribute, Call, Collection, Mapping, last_name
from npu_migrate.index.names import ancestors
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.contexts import Frame, Traced, ends, traced
from npu_migrate.semantics.flow import externals_called
from npu_migrate.semantics.objects import identities, item_writes
from npu_migrate.semantics.resolution import scope_of
from npu_migrate.training.loss_scaling.updates import UPDATING, scaled_by
from npu_migrate.training.reading.read_data import control_inputs

_COMPOSED = tf.GROUPS | {"tensorflow.no_op"}
_PLAIN = ("staticmethod", "classmethod")
_DEEPEST = 8


class Update(NamedTuple):
    """An update: `shown` is what stands for it in its list, `made` the calls that lead to its optimizer.

    One that a loop puts into a dictionary has the `turn`: the loop's store, and the key of the item.
    """

    shown: Ref
    made: tuple[int, ...]
    turn: tuple[int, object] | None = None


def two_updates(project: Project, op: Ref) -> tuple[Ref, Ref] | None:
    """Two updates of two loss-scale optimizers that an op certainly holds; None if there are none."""
    found = tuple(_updates(project, traced(op), op, 0))
    for one, other in combinations(found, 2):
        if _are_two(one, other):
            return one.shown, other.shown
    return None


def _are_two(one: Update, other: Update) -> bool:
    """Whether two updates are of other turns of a loop, or the ways to their optimizers part.

    A shorter way may be the end of a longer one, and what is seen beside a dictionary may also be in it.
    """
    if one.turn is not None and other.turn is not None and one.turn[0] == other.turn[0]:
        return one.turn != other.turn
    shared = min(len(one.made), len(other.made))
    return one.turn is None and other.turn is None and one.made[-shared:] != other.made[-shared:]


def _updates(project: Project, op: Traced, shown: Ref, depth: int) -> Iterator[Update]:
    """The updates in an op; what may be one thing or another is none for certain."""
    found = ends(project, op)
    if len(found) != 1 or depth > _DEEPEST:
        return
    end = found[0]
    if end.keys:
        yield from _updates_by_turns(project, end, shown, depth)
        return
    expr = end.ref.expr
    parts: tuple[Traced, ...] = ()
    if isinstance(expr, Collection):
        parts = tuple(end.at(item) for item in expr.items)
    elif isinstance(expr, Mapping):
        parts = tuple(end.at(value) for value in expr.values)
    elif isinstance(expr, Call) and externals_called(project, end.ref) & _COMPOSED:
        parts = (*(end.at(item) for item in expr.args), *control_inputs(project, end))
    elif isinstance(expr, Call) and isinstance(expr.func, Attribute) and last_name(expr.func) in UPDATING:
        made = tuple(scaled_by(project, end.at(expr.func.value)))
        if len(made) == 1 and made[0] is not None and _is_made_anew(project, made[0].frames):
            yield Update(shown, _calls(made[0]))
    for part in parts:
        yield from _updates(project, part, part.ref, depth + 1)


def _updates_by_turns(project: Project, item: Traced, shown: Ref, depth: int) -> Iterator[Update]:
    """The update in an item of a dictionary that only one store in a loop fills, with a computed key."""
    store = _store_in_loop(project, item)
    if store is None:
        return
    inside = traced(store._replace(expr=project.statement(store).values[0]))
    for update in _updates(project, inside, shown, depth + 1):
        if update.turn is None and update.made[0] in _calls_in_loop(project, store):
            yield update._replace(turn=(id(store.expr), item.keys[0]))


def _store_in_loop(project: Project, item: Traced) -> Ref | None:
    """The dictionary in ``filled[key] = value`` of a loop, where that alone makes the item; else None."""
    made, key = item.ref.expr, item.keys[0]
    is_empty = isinstance(made, Mapping) and not made.keys
    if not is_empty or len(item.keys) != 1 or not isinstance(key, (str, int)):
        return None
    near = project.neighbours(item.ref.key)
    writes = list(item_writes(project, near, identities(project, item.ref), key))
    if len(writes) != 1 or writes[0].value is not None:
        return None
    store = writes[0].place
    statement = project.statement(store)
    is_plain = statement.kind == "Assign" and len(statement.targets) == 1
    return store if is_plain and _loop_around(project, store) is not None else None


def _loop_around(project: Project, ref: Ref) -> int | None:
    """The innermost ``for`` around a statement, in the same function."""
    facts = project.facts(ref.key)
    assert facts is not None
    around = (facts.statements[number] for number in ancestors(facts, ref.statement))
    return next((one.id for one in around if one.kind == "For" and one.scope == ref.scope), None)


def _calls_in_loop(project: Project, store: Ref) -> frozenset[int]:
    """The calls that stand in the loop around a store, so that each turn makes them anew."""
    facts, loop = project.facts(store.key), _loop_around(project, store)
    assert facts is not None
    return frozenset(
        id(site.call)
        for site in facts.calls
        if site.scope == store.scope and any(one == loop for one in ancestors(facts, site.statement))
    )


def _is_made_anew(project: Project, frames: tuple[Frame, ...]) -> bool:
    """Whether each call on the way makes an object of its own: a decorator may keep the first one."""
    return all(
        last_name(one) in _PLAIN for frame in frames for one in scope_of(project, frame.target).decorators
    )


def _calls(made: Traced) -> tuple[int, ...]:
    """The calls on the way to an optimizer, the last one its own."""
    return (*_entered(made.frames), id(made.ref.expr))


def _entered(frames: tuple[Frame, ...]) -> Iterator[int]:
    return (id(frame.call.expr) for frame in frames if frame.call is not None)
