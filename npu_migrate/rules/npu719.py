"""
## What it does

Finds `tf.gradients` in files that use Horovod and apply gradients themselves.

With `--port` the rule looks at all programs that train, without it at those in which a config has the
`NpuOptimizer` entry already.

## Why

A wrapped optimizer averages the gradients that it computes itself. Gradients of `tf.gradients` that reach
`apply_gradients` are those of one device.

## Example

```python
grads = tf.gradients(loss, variables)
train_op = opt.apply_gradients(zip(grads, variables))
```

## Use instead

```python
grads = tf.gradients(loss, variables)
grads = [grad if grad is None else npu_allreduce(grad) for grad in grads]
train_op = opt.apply_gradients(zip(grads, variables))
```

## Fix safety

There is no fix: not every gradient is one of the loss: those of a penalty or of an input must not be
averaged.

## Sources

CODE:npu_optimizer.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Finding, Severity
from npu_migrate.project.project import Project
from npu_migrate.rules.porting import of_ported_programs, reported
from npu_migrate.rules.rule import Rule
from npu_migrate.training.porting.features.distributed.distribution import collective_is_missing
from npu_migrate.training.porting.features.distributed.horovod import horovod_uses

CODE = "NPU719"
MESSAGE = "these gradients are those of one device: pass those that are not None through npu_allreduce()"


@of_ported_programs
def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per ``tf.gradients`` of a distributed program."""
    distributed = frozenset(use.ref.key for use in horovod_uses(project))
    for one in collective_is_missing(project, distributed):
        yield from reported(project, CODE, Severity.WARNING, one.ref, MESSAGE)


RULE = Rule(
    code=CODE,
    name="gradients-without-allreduce",
    summary="tf.gradients in a distributed program.",
    severity="warning",
    fix="manual",
    sources=("CODE",),
    documentation=__doc__ or "",
    check=check,
)
