"""
## What it does

Finds programs that switch the device to the saturation mode: `npu_plugin.set_device_sat_mode(0)`.

## Why

In saturation mode a floating-point overflow gives the largest finite number instead of Inf. Atlas A2 and A3
products keep this mode only for compatibility with earlier versions: it does not evolve any more, and results
may be unreliable. Their default, the Inf/NaN mode, should be kept. Atlas training products have the
saturation mode only, so the call changes nothing there.

## Example

```python
from npu_bridge.estimator.npu import npu_plugin

npu_plugin.set_device_sat_mode(0)
```

## Use instead

Leave the call out, or say what is the default anyway:

```python
from npu_bridge.estimator.npu import npu_plugin

npu_plugin.set_device_sat_mode(1)
```

The finding is a warning if the settings say that you train on such a product (`product = "a2"` or `"a3"`).

## Fix safety

No edit: the results of the training change with the mode.

## Sources

SEED-LS; DOC-MIXP; CODE:npu_plugin.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Finding, Severity
from npu_migrate.index.facts import Call
from npu_migrate.knowledge import loss_scale
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, lowered_for, weigh
from npu_migrate.semantics.calls.signatures import given
from npu_migrate.semantics.values.value import describe, related
from npu_migrate.training.npu.configs import calls_of

CODE = "NPU404"
MESSAGE = (
    "{mode} switches the device to saturation mode, which {products} keep only for compatibility: "
    "results may be unreliable; keep the default Inf/NaN mode"
)
PRODUCTS = "Atlas A2 and A3 products"
PRODUCT = "{name} products"

_MODE = "mode"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per call that switches to the saturation mode."""
    for call in calls_of(project, loss_scale.SET_SATURATION):
        weighed = weigh(project, call.key, partial(_judge, project, call))
        if call.key in project.targets and weighed is not None:
            assert isinstance(call.expr, Call)
            verdict, programs = weighed
            place = last_token(call.key, call.expr.func)
            yield Finding(CODE, verdict.severity, verdict.message, place, verdict.related, programs=programs)


def _judge(project: Project, call: Ref, program: str) -> Verdict | None:
    found = given(project, call, (_MODE,), _MODE, program)
    if found is None or not found.value.every(_is_saturation):
        return None
    known = found.value.alternatives[0]
    named = loss_scale.PRODUCTS_WITH_INF_NAN.get(project.options.product or "")
    severity = Severity.WARNING if named else Severity.INFO
    message = MESSAGE.format(
        mode=describe(project, _MODE, known), products=PRODUCT.format(name=named) if named else PRODUCTS
    )
    return Verdict(lowered_for(severity, found.value.alternatives), message, related(known))


def _is_saturation(value: object) -> bool:
    return isinstance(value, int) and value == loss_scale.SATURATION_MODE


RULE = Rule(
    code=CODE,
    name="saturation-mode",
    summary="The device is switched to saturation mode.",
    severity="info; warning if the settings name a product with Inf/NaN mode",
    fix="manual",
    sources=("SEED-LS", "DOC-MIXP", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
