"""
## What it does

Finds precision settings that training acceleration does not go together with. In a config that sets
`accelerate_train_mode`, `precision_mode` has to be `allow_fp32_to_fp16`, `must_keep_origin_dtype` or unset,
and `precision_mode_v2` has to be `origin` or unset. The session keys are treated alike.

## Why

Acceleration lowers the precision for a part of the training and restores the original one afterwards. With
another precision mode there is nothing to restore: the runtime refuses the combination when the graph runs.

## Example

```python
experimental_config = ExperimentalConfig(accelerate_train_mode="fast|step|0.9")
run_config = NPURunConfig(experimental_config=experimental_config, precision_mode="allow_mix_precision")
```

## Use instead

```python
experimental_config = ExperimentalConfig(accelerate_train_mode="fast|step|0.9")
run_config = NPURunConfig(experimental_config=experimental_config, precision_mode="allow_fp32_to_fp16")
```

## Fix safety

No edit: whether to give up the precision mode or the acceleration is for you to decide. The documents also
allow "none", which means that the setting is left out.

## Sources

SEED-EXP; CODE:geop_npu.cc.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Finding, Severity
from npu_migrate.knowledge.acceleration import PRECISION_MODES, is_unset
from npu_migrate.project.project import Project
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, lowered_for, telling
from npu_migrate.semantics.values.value import describe, related
from npu_migrate.training.npu.accelerated_configs import Config, configs, place_of
from npu_migrate.training.npu.acceleration import accelerates

CODE = "NPU303"
MESSAGE = "{precision} does not go together with {mode}: it has to be {allowed} or unset"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per precision setting that acceleration conflicts with."""
    for config in configs(project):
        for name in PRECISION_MODES:
            setting = config.setting(project, name)
            if setting is None:
                continue
            place = place_of(setting, config).place
            judge = partial(_judge, project, config, name)
            yield from judged(project, CODE, place, judge, asked=config.made.key)


def _judge(project: Project, config: Config, name: str, program: str) -> Verdict | None:
    setting, mode = config.setting(project, name, program), config.mode(project, program)
    allowed = PRECISION_MODES[name]
    if setting is None or not accelerates(mode):
        return None
    if not setting.value.every(lambda value: not is_unset(value) and _text(value) not in allowed):
        return None
    precision, asked = telling(setting.value), telling(mode)
    message = MESSAGE.format(
        precision=describe(project, name, precision._replace(constant=_text(precision.constant))),
        mode=describe(project, config.subject, asked),
        allowed=", ".join(sorted(allowed)),
    )
    severity = lowered_for(Severity.ERROR, [*setting.value.alternatives, *mode.alternatives])
    return Verdict(severity, message, (*related(precision), *related(asked)))


def _text(value: object) -> object:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


RULE = Rule(
    code=CODE,
    name="accelerate-precision-conflict",
    summary="A precision mode that training acceleration does not go together with.",
    severity="error, or warning for a default",
    fix="manual",
    sources=("SEED-EXP", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
