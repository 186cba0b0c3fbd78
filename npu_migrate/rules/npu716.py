"""
## What it does

Finds strategies of `tf.distribute` such as `MirroredStrategy`. A strategy of one device that is the CPU is
left alone.

With `--port` the rule looks at all programs that train, without it at those in which a config has the
`NpuOptimizer` entry already.

## Why

TensorFlow's strategies place copies on GPUs and reduce over NCCL. On NPUs there is one process for each
device, which is initialized by `init_resource()`, wraps its optimizer in
`npu_distributed_optimizer_wrapper` and broadcasts the variables at the start.

## Example

```python
strategy = tf.distribute.MirroredStrategy()
config = tf.estimator.RunConfig(train_distribute=strategy)
```

## Use instead

Take the strategy out, wrap the optimizer that reaches `minimize`, add
`NPUBroadcastGlobalVariablesHook(0, get_npu_rank_id())` to the hooks of the training, and call
`init_resource()` first. The batch of a
`MirroredStrategy` in an Estimator is that of one device already; that of Keras is the batch of all devices
together.

## Fix safety

Unsafe: how many devices train is decided by the launcher, which starts one process for each. There is a fix
for Estimators if all of it can be changed together: the strategy is used in a `RunConfig` only, the
optimizers that reach `minimize` are made in view, and so is the training, for its hooks. To take the
strategy out alone would leave a program that trains on several devices without a word to each other. A
strategy that names one device is just taken out.

For Keras there is no fix: what replaces the scope depends on the loop.

## Sources

DOC-AR; DOC-STRAT; CODE:npu_strategy.py; CODE:npu_optimizer.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Applicability, Finding, Rewrite, Severity
from npu_migrate.project.project import Project
from npu_migrate.rules.porting import NO_EDIT, of_ported_programs, reported, spoken
from npu_migrate.rules.rule import Rule
from npu_migrate.training.porting.features.distributed.distribution import strategies
from npu_migrate.training.porting.features.distributed.strategies import removal

CODE = "NPU716"
TITLE = "Take the strategy out, and distribute by npu_bridge"
MESSAGE = (
    "{name} is for GPUs: on NPUs each device has a process of its own, with init_resource(), "
    "npu_distributed_optimizer_wrapper and a broadcast of the variables"
)


@of_ported_programs
def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per strategy."""
    for one in strategies(project):
        message = MESSAGE.format(name=spoken(one.name))
        intents, obstacle = removal(project, one)
        if obstacle:
            message = NO_EDIT.format(message=message, reason=obstacle)
        rewrite = Rewrite(Applicability.UNSAFE, TITLE, intents) if intents else None
        yield from reported(project, CODE, Severity.ERROR, one.ref, message, rewrite)


RULE = Rule(
    code=CODE,
    name="distribution-strategy",
    summary="A distribution strategy of TensorFlow.",
    severity="error",
    fix="unsafe for Estimators that are wholly in view; else manual",
    sources=("DOC-AR", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
