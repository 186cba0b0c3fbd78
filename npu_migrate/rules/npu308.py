"""
## What it does

Finds every use of `ExperimentalConfig` (advice only).

## Why

The vendor offers the class for debugging: it may change in later versions and must not be used in commercial
products. For trainings of less than about an hour, acceleration may gain nothing.

## Example

```python
experimental_config = ExperimentalConfig(accelerate_train_mode="fast|step|0.9")
run_config = NPURunConfig(experimental_config=experimental_config)
```

## Use instead

```python
run_config = NPURunConfig(precision_mode_v2="mixed_float16")
```

## Fix safety

No edit: this is for you to decide. Ignore the rule in projects that are not products.

## Sources

SEED-EXP.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Finding, Severity
from npu_migrate.index.facts import Call
from npu_migrate.project.project import Project
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.training.npu.acceleration import experimental_configs

CODE = "NPU308"
MESSAGE = "ExperimentalConfig is for debugging: it may change and must not be used in commercial products"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per call of ExperimentalConfig."""
    for call in experimental_configs(project):
        if call.key in project.targets:
            assert isinstance(call.expr, Call)
            place = last_token(call.key, call.expr.func)
            yield Finding(CODE, Severity.INFO, MESSAGE, place, programs=project.programs_of(call.key))


RULE = Rule(
    code=CODE,
    name="experimental-config-in-production",
    summary="A use of ExperimentalConfig, which is not for commercial products.",
    severity="info",
    fix="manual",
    sources=("SEED-EXP",),
    documentation=__doc__ or "",
    check=check,
)
