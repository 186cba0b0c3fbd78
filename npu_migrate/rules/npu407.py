"""
## What it does

Finds an `NPULossScaleOptimizer` around an optimizer that averages gradients over all ranks, without
`is_distributed=True`.

## Why

Each rank tests its own overflow flag. Only with `is_distributed=True` they tell each other what they have
found. Without it a rank that has seen an overflow skips the step and lowers its scale while the others update
their weights with the gradients that it has spoiled, and from then on the ranks no longer agree.

## Example

```python
optimizer = npu_distributed_optimizer_wrapper(tf.train.AdamOptimizer())
optimizer = NPULossScaleOptimizer(optimizer, manager)
```

## Use instead

```python
optimizer = npu_distributed_optimizer_wrapper(tf.train.AdamOptimizer())
optimizer = NPULossScaleOptimizer(optimizer, manager, is_distributed=True)
```

An optimizer that is wrapped in one branch only has no finding, unless flags have it wrapped by default: then
it is advice. There is none for a value of `is_distributed` that is not known or made from the number of
ranks, and none in the branch for a single rank. What is called `num_gpus`, `world_size` and the like counts
as the number of ranks.

## Fix safety

Unsafe: the training takes other steps than before.

## Sources

DOC-LSO; CODE:npu_loss_scale_optimizer.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Applicability, Finding, Related, Rewrite, Severity
from npu_migrate.index.facts import Call
from npu_migrate.intents import SetArgument
from npu_migrate.knowledge import loss_scale
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, lowered_for, related_to, telling
from npu_migrate.semantics.calls.signatures import given, has_star
from npu_migrate.semantics.values.value import describe, related
from npu_migrate.training.distributed.optimizers import made_by_wrapper
from npu_migrate.training.distributed.ranks import depends_on_size, runs_on_one_device
from npu_migrate.training.npu.configs import calls_of

CODE = "NPU407"
TITLE = "Let all ranks skip a step together"
MESSAGE = (
    "the optimizer averages gradients over all ranks, but {switch}: the ranks do not skip a step together "
    "when one of them has an overflow"
)
LEFT_OUT = "is_distributed=True is missing"
WRAPPED = "the gradients of all ranks are averaged here"
SWITCH = "is_distributed"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per loss-scale optimizer that keeps its overflows to itself."""
    for call in calls_of(project, loss_scale.OPTIMIZER):
        assert isinstance(call.expr, Call)
        if not has_star(call) and not runs_on_one_device(project, call):
            place = last_token(call.key, call.expr.func)
            yield from judged(project, CODE, place, partial(_judge, project, call), _rewrite(call))


def _judge(project: Project, call: Ref, program: str) -> Verdict | None:
    wrapper = made_by_wrapper(project, call, loss_scale.OPTIMIZER_PARAMETERS[0], 0, program)
    if wrapper is None:
        return None
    places = (
        Related(wrapper.call.place, WRAPPED),
        *related_to(wrapper.deciding),
    )
    passed = given(project, call, loss_scale.OPTIMIZER_PARAMETERS, SWITCH, program)
    if passed is None:
        severity = lowered_for(Severity.WARNING, wrapper.deciding)
        return Verdict(severity, MESSAGE.format(switch=LEFT_OUT), places)
    follows_ranks = passed.place is not call and depends_on_size(project, passed.place)
    if follows_ranks or not passed.value.every(lambda value: not value):
        return None
    switch = telling(passed.value)
    message = MESSAGE.format(switch=describe(project, SWITCH, switch))
    severity = lowered_for(Severity.WARNING, [switch, *wrapper.deciding])
    return Verdict(severity, message, (*places, *related(switch)))


def _rewrite(call: Ref) -> Rewrite | None:
    """The switch as a keyword; None where it stands among the positional arguments or behind ``**``."""
    assert isinstance(call.expr, Call)
    position = loss_scale.OPTIMIZER_PARAMETERS.index(SWITCH)
    if len(call.expr.args) > position or any(keyword.name is None for keyword in call.expr.keywords):
        return None
    return Rewrite(Applicability.UNSAFE, TITLE, (SetArgument(call.place, SWITCH, "True"),))


RULE = Rule(
    code=CODE,
    name="overflow-not-shared",
    summary="An overflow on one rank that the other ranks do not hear of.",
    severity="warning",
    fix="unsafe",
    sources=("DOC-LSO", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
