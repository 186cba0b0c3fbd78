"""
## What it does

Finds TensorFlow's own loss scaling in programs that run on the NPU: the managers and the optimizer of
`tf.contrib.mixed_precision`, and the scales, the optimizer and the graph rewrite of `tf.train.experimental`.

## Why

TensorFlow finds an overflow by looking for Inf and NaN in the gradients. Atlas training products compute in
saturation mode only: an overflow gives the largest finite number, so TensorFlow's loss scaling never notices
one, and applies wrong gradients. npu_bridge's classes ask the device instead. Atlas A2 and A3 products keep
Inf and NaN by default, and TensorFlow's loss scaling works there as it is.

The finding is a warning if the settings say that you train on Atlas training products
(`product = "training"`).

## Example

```python
manager = tf.contrib.mixed_precision.FixedLossScaleManager(128)
opt = tf.contrib.mixed_precision.LossScaleOptimizer(opt, manager)
```

## Use instead

```python
manager = FixedLossScaleManager(128)
opt = NPULossScaleOptimizer(opt, manager)
```

`tf.train.experimental.enable_mixed_precision_graph_rewrite` has no counterpart: set `precision_mode` in the
NPU configuration and wrap the optimizer in `NPULossScaleOptimizer`.

## Fix safety

Unsafe: right if the program trains on one device, because distributed training needs
`NPULossScaleOptimizer(..., is_distributed=True)`. A `DynamicLossScale` becomes an
`ExponentialUpdateLossScaleManager` that reacts in the same way: to each overflow, by the inverse of the
multiplier. An optimizer and its managers are ported together or not at all: no edit where the arguments of
one of them cannot be seen. Where a class of TensorFlow has been imported by the name, npu_bridge's gets
another one (`NpuFixedLossScaleManager`). A file that imports npu_bridge inside functions only gets no import
of its own.

## Sources

DOC-MIXP; SEED-LS; TOOL; TensorFlow 1.15 `tf.train.experimental.DynamicLossScale` [TF].
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Applicability, Finding, Rewrite, Severity
from npu_migrate.index.facts import Call
from npu_migrate.knowledge import loss_scale
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.semantics.resolution import external_names
from npu_migrate.training.loss_scaling.replacing import PORTED, plan_port
from npu_migrate.training.npu.configs import calls_of
from npu_migrate.training.porting.programs import npu_programs_of
from npu_migrate.training.porting.staying.other_devices import runs_on_another_device

CODE = "NPU403"
TITLE = "Use npu_bridge's {new}"
MESSAGE = (
    "loss scaling with {old} relies on Inf and NaN in the gradients, which {products} never give: "
    "an overflow goes unnoticed; {advice}"
)
SATURATING = "Atlas training products"
SATURATION_MODE = "devices in saturation mode (all Atlas training products)"
USE = "use npu_bridge's {new}"
USE_OPTIMIZER = "use npu_bridge's {new} (distributed training: with is_distributed=True)"
NO_COUNTERPART = "set precision_mode in the NPU configuration and use NPULossScaleOptimizer"

_PACKAGE = "tensorflow."


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per call of TensorFlow's loss scaling."""
    for name in loss_scale.TENSORFLOW_NAMES:
        for call in calls_of(project, name):
            assert isinstance(call.expr, Call)
            programs = npu_programs_of(project, call.key)
            means = external_names(project, call.key, call.scope, call.expr.func)
            if not programs or means != {name} or call.key not in project.targets:
                continue
            if not runs_on_another_device(project, call):
                yield _finding(project, name, call, programs)


def _finding(project: Project, name: str, call: Ref, programs: tuple[str, ...]) -> Finding:
    assert isinstance(call.expr, Call)
    saturating = project.options.product == loss_scale.SATURATING_PRODUCT
    new = PORTED.get(name)
    message = MESSAGE.format(
        old=name.replace(_PACKAGE, "tf.", 1),
        products=SATURATING if saturating else SATURATION_MODE,
        advice=_advice(new),
    )
    intents = plan_port(project, name, call)
    return Finding(
        CODE,
        Severity.WARNING if saturating else Severity.INFO,
        message,
        last_token(call.key, call.expr.func),
        rewrite=Rewrite(Applicability.UNSAFE, TITLE.format(new=new), intents) if intents else None,
        programs=programs,
    )


def _advice(new: str | None) -> str:
    if new is None:
        return NO_COUNTERPART
    text = USE_OPTIMIZER if new == PORTED[loss_scale.CONTRIB_OPTIMIZER] else USE
    return text.format(new=new)


RULE = Rule(
    code=CODE,
    name="loss-scale-not-ported",
    summary="TensorFlow's own loss scaling in a program that runs on the NPU.",
    severity='info; warning if the settings say product = "training"',
    fix="unsafe, or manual where there is no counterpart",
    sources=("DOC-MIXP", "SEED-LS", "TOOL"),
    documentation=__doc__ or "",
    check=check,
)
