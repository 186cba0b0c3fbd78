"""What `NPULossScaleOptimizer`s update, and what is run together with it.

Source: CODE:npu_loss_scale_optimizer.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import Attribute, Call, argument, last_name
from npu_migrate.knowledge import distributed, loss_scale
from npu_migrate.project.once import once, once_at
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.calls.passing import passed_objects
from npu_migrate.semantics.contexts import Traced, ends, traced
from npu_migrate.semantics.flow import externals_called
from npu_migrate.training.npu.programs import programs_with_npu
from npu_migrate.training.pipelines.partition.choices import is_ruled_out
from npu_migrate.training.pipelines.partition.executions import executions
from npu_migrate.training.pipelines.partition.op_parts import Part, alternatives

UPDATING = ("minimize", "apply_gradients")
"""The methods of an optimizer that make its update."""

_SPECS = ("EstimatorSpec", "NPUEstimatorSpec", "TPUEstimatorSpec")
_TRAIN_OP = "train_op"
_TRAIN_OP_POSITION = 3
_DEEPEST = 4


class Together(NamedTuple):
    """What one run holds: its `parts`, and the place that has them run, a call or the keyword's value."""

    place: Ref
    parts: tuple[Part, ...]


@once
def runs_together(project: Project) -> tuple[Together, ...]:
    """For each ``run``, and each ``train_op`` of an EstimatorSpec, on the NPU: the parts it may hold."""
    return tuple(_runs_together(project))


def _runs_together(project: Project) -> Iterator[Together]:
    for execution in executions(project):
        is_on_npu = bool(programs_with_npu(project, execution.call.key))
        if execution.kind == "run" and is_on_npu and not is_ruled_out(project, execution.call):
            for parts in alternatives(project, execution.op):
                yield Together(execution.op, parts)
    for name in _SPECS:
        for key, site in project.calls_named(name):
            if not programs_with_npu(project, key):
                continue
            call = ref_of_call(key, site)
            for given in passed_objects(project, call, _TRAIN_OP, _TRAIN_OP_POSITION).values:
                for parts in alternatives(project, given):
                    yield Together(given, parts)


class Optimizers(NamedTuple):
    """The ``NPULossScaleOptimizer`` calls that made an optimizer; `certain` tells that it is one of them."""

    calls: tuple[Ref, ...]
    certain: bool


@once_at
def scaling(project: Project, optimizer: Ref) -> Optimizers:
    """Which loss-scale optimizers an optimizer may be, also behind one that averages over devices."""
    made = list(scaled_by(project, traced(optimizer)))
    found = [end.ref for end in made if end is not None]
    return Optimizers(
        tuple({id(ref.expr): ref for ref in found}.values()), len(found) == len(made) and bool(found)
    )


def scaled_by(project: Project, optimizer: Traced) -> Iterator[Traced | None]:
    """The ``NPULossScaleOptimizer`` calls that an optimizer may come from; None for each other origin."""
    for end in _optimizers(project, optimizer, 0):
        is_scaling = loss_scale.OPTIMIZER in externals_called(project, end.ref) and not end.keys
        yield end if is_scaling else None


def _optimizers(project: Project, optimizer: Traced, depth: int) -> Iterator[Traced]:
    for end in ends(project, optimizer):
        call = end.ref.expr
        inner = None
        if isinstance(call, Call) and externals_called(project, end.ref) & distributed.OPTIMIZERS:
            inner = argument(call, "optimizer", 0) or argument(call, "opt", 0)
        if inner is None or depth >= _DEEPEST:
            yield end
        else:
            yield from _optimizers(project, end.at(inner), depth + 1)


def updating(project: Project, leaf: Ref) -> Optimizers:
    """The loss-scale optimizers whose ``minimize`` or ``apply_gradients`` the op at `leaf` may be."""
    call = leaf.expr
    if not isinstance(call, Call) or last_name(call.func) not in UPDATING or leaf.path:
        return Optimizers((), False)
    if not isinstance(call.func, Attribute):
        return Optimizers((), False)
    return scaling(project, leaf._replace(expr=call.func.value, path=()))
