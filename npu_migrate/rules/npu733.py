"""
## What it does

Finds `enable_mixed_precision_graph_rewrite`, the rewrite option `auto_mixed_precision`, the environment
variable `TF_ENABLE_AUTO_MIXED_PRECISION` and Keras's policies.

With `--port` the rule looks at all programs that train, without it at those in which a config has the
`NpuOptimizer` entry already.

## Why

These rewrite the graph for the tensor cores of a GPU, and do nothing without one. On the NPU
`precision_mode` in the config does so, and loss scaling is npu_bridge's (NPU403).

## Example

```python
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)
```

## Use instead

```python
custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("allow_mix_precision")
manager = ExponentialUpdateLossScaleManager(
    init_loss_scale=2**15, incr_every_n_steps=2000, decr_every_n_nan_or_inf=1, decr_ratio=0.5
)
opt = NPULossScaleOptimizer(opt, manager)
```

## Fix safety

There is no fix: the optimizer, the manager and the config have to change together.

## Sources

DOC-MIXP.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Finding, Severity
from npu_migrate.project.project import Project
from npu_migrate.rules.porting import of_ported_programs, reported, spoken
from npu_migrate.rules.rule import Rule
from npu_migrate.training.porting.features.precision import mixed_precision

CODE = "NPU733"
MESSAGE = (
    "{name} switches on the mixed precision of a GPU, which does nothing on the NPU: "
    "set precision_mode in the config and use NPULossScaleOptimizer"
)


@of_ported_programs
def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per switch."""
    for one in mixed_precision(project):
        yield from reported(project, CODE, Severity.WARNING, one.ref, MESSAGE.format(name=spoken(one.name)))


RULE = Rule(
    code=CODE,
    name="gpu-mixed-precision",
    summary="Mixed precision as a GPU does it.",
    severity="warning",
    fix="manual",
    sources=("DOC-MIXP",),
    documentation=__doc__ or "",
    check=check,
)
