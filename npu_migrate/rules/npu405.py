"""
## What it does

Finds `tf.is_finite`, `tf.is_inf` and `tf.is_nan` (also in `tf.math` and `tf.debugging`) on gradients, or on
the loss that an optimizer minimizes, in a program that runs on the NPU.

## Why

In saturation mode an overflow gives the largest finite number, so such a test never sees one: it says that
all is well, and spoiled gradients update the weights. The NPU's operators tell the device of an overflow, and
`NPULossScaleOptimizer` asks the device.

## Example

```python
pairs = optimizer.compute_gradients(loss)
usable = tf.reduce_all([tf.reduce_all(tf.is_finite(g)) for g, _ in pairs])
train_op = tf.cond(usable, lambda: optimizer.apply_gradients(pairs), tf.no_op)
```

## Use instead

```python
manager = ExponentialUpdateLossScaleManager(init_loss_scale=2**32, incr_every_n_steps=1000)
optimizer = NPULossScaleOptimizer(optimizer, manager)
train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
```

It skips the steps with an overflow by itself. Tests of other values have no finding here.

## Fix safety

No edit: the training takes other steps than before.

## Sources

OPS:tf_finite_manual_port; DOC-MIXP.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Finding, Severity
from npu_migrate.index.facts import Call, last_name
from npu_migrate.project.project import Project
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.training.loss_scaling.overflow_tests import overflow_tests
from npu_migrate.training.npu.programs import programs_with_npu

CODE = "NPU405"
MESSAGE = (
    "{name} does not see an overflow that the NPU saturates: NPULossScaleOptimizer tests gradients by the "
    "NPU's own operators, and skips the step"
)


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per test of gradients or of a loss."""
    for call in overflow_tests(project):
        assert isinstance(call.expr, Call)
        programs = programs_with_npu(project, call.key)
        if call.key in project.targets:
            message = MESSAGE.format(name=last_name(call.expr.func))
            place = last_token(call.key, call.expr.func)
            yield Finding(CODE, Severity.WARNING, message, place, programs=programs)


RULE = Rule(
    code=CODE,
    name="own-overflow-test",
    summary="Gradients or a loss that TensorFlow's operators test for overflow.",
    severity="warning",
    fix="manual",
    sources=("OPS", "DOC-MIXP"),
    documentation=__doc__ or "",
    check=check,
)
