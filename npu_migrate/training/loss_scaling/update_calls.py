"""Updates that one run certainly holds, told apart by the calls through which each of them was made.

`updates` knows an update by the expression that makes it. Where a helper makes two, that is one expression.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from npu_migrate.index.facts import Attribute, Call, Collection, Mapping, last_name
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.contexts import Frame, Traced, ends, traced
from npu_migrate.semantics.flow import externals_called
from npu_migrate.semantics.resolution import scope_of
from npu_migrate.training.loss_scaling.updates import UPDATING, scaled_by
from npu_migrate.training.reading.read_data import control_inputs

_COMPOSED = tf.GROUPS | {"tensorflow.no_op"}
_PLAIN = ("staticmethod", "classmethod")
_DEEPEST = 8


class Update(NamedTuple):
    """An update: `shown` is what stands for it in its list, `made` the calls that lead to its optimizer."""

    shown: Ref
    made: tuple[int, ...]


def two_updates(project: Project, op: Ref) -> tuple[Ref, Ref] | None:
    """Two updates of two loss-scale optimizers that an op certainly holds; None if there are none."""
    found = tuple(_updates(project, traced(op), op, 0))
    for one, other in combinations(found, 2):
        if _are_two(one.made, other.made):
            return one.shown, other.shown
    return None


def _are_two(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether two ways to an optimizer part: a shorter one may be the end of a longer one."""
    shared = min(len(one), len(other))
    return one[-shared:] != other[-shared:]


def _updates(project: Project, op: Traced, shown: Ref, depth: int) -> Iterator[Update]:
    """The updates in an op; what may be one thing or another is none for certain."""
    found = ends(project, op)
    if len(found) != 1 or depth > _DEEPEST or found[0].keys:
        return
    end = found[0]
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
