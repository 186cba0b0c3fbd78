"""
## What it does

Finds `iterations_per_loop` > 1 in a config that also asks for training acceleration, by
`accelerate_train_mode` or by the session key `experimental_accelerate_train_mode`.

## Why

The runtime decides between lower and original precision once per `sess.run`, and with `iterations_per_loop` >
1 that is once per N steps. The training is then not split where the mode says, which may change the loss and
the precision of the result.

## Example

```python
experimental_config = ExperimentalConfig(accelerate_train_mode="fast|step|0.9")
run_config = NPURunConfig(experimental_config=experimental_config, iterations_per_loop=100)
```

## Use instead

```python
experimental_config = ExperimentalConfig(accelerate_train_mode="fast|step|0.9")
run_config = NPURunConfig(experimental_config=experimental_config, iterations_per_loop=1)
```

## Fix safety

No edit: either of the two may be what makes your training fast. Measure both.

## Sources

SEED-EXP; DOC-TELL; CODE:geop_npu.cc.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Finding, Severity
from npu_migrate.knowledge import npu
from npu_migrate.project.project import Project
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, lowered_for, telling
from npu_migrate.semantics.values.value import describe, related
from npu_migrate.training.npu.accelerated_configs import Config, configs, place_of
from npu_migrate.training.npu.acceleration import accelerates
from npu_migrate.training.npu.configs import is_offloading, least

CODE = "NPU304"
MESSAGE = "{n} together with {mode}: training is not split exactly where the mode says"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per N > 1 of a config that asks for acceleration."""
    for config in configs(project):
        for program in project.programs_of(config.made.key)[:1]:
            place = place_of(config.iterations(project, program), config).place
            yield from judged(project, CODE, place, partial(_judge, project, config), asked=config.made.key)


def _judge(project: Project, config: Config, program: str) -> Verdict | None:
    iterations, mode = config.iterations(project, program).value, config.mode(project, program)
    if not accelerates(mode) or not iterations.every(is_offloading):
        return None
    n, asked = least(iterations), telling(mode)
    message = MESSAGE.format(
        n=describe(project, npu.ITERATIONS_PER_LOOP, n), mode=describe(project, config.subject, asked)
    )
    severity = lowered_for(Severity.WARNING, [n, *mode.alternatives])
    return Verdict(severity, message, (*related(n), *related(asked)))


RULE = Rule(
    code=CODE,
    name="accelerate-under-offload",
    summary="Training acceleration together with iterations_per_loop > 1.",
    severity="warning, or info for a default",
    fix="manual",
    sources=("SEED-EXP", "DOC-TELL"),
    documentation=__doc__ or "",
    check=check,
)
