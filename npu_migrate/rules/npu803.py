"""
## What it does

Finds a `save_checkpoints_secs` in a program that averages its gradients over several devices.

## Why

`NPURunConfig` supports it on one device only. By the clock the ranks save at different steps, and a rank that
saves keeps the others waiting.

## Example

```python
config = NPURunConfig(model_dir="model", save_checkpoints_secs=600)
optimizer = npu_distributed_optimizer_wrapper(tf.train.AdamOptimizer())
```

## Use instead

```python
config = NPURunConfig(model_dir="model", save_checkpoints_steps=1000)
optimizer = npu_distributed_optimizer_wrapper(tf.train.AdamOptimizer())
```

A program in which a flag decides whether the optimizer is wrapped has a finding if it is by default. It is
advice then.

## Fix safety

No edit: how many steps are done in that time is for you to say.

## Sources

INTRO; CODE:npu_config.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Finding, Related, Severity
from npu_migrate.index.facts import Call
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.offload import one_per_place
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, lowered_for, related_to, telling
from npu_migrate.semantics.calls.signatures import keyword_name
from npu_migrate.semantics.values.value import describe, related
from npu_migrate.training.distributed.optimizers import wrapper_in
from npu_migrate.training.npu.configs import run_config_setting, run_configs

CODE = "NPU803"
MESSAGE = (
    "{seconds}: checkpoints by time are not supported in a training on several devices; use "
    "save_checkpoints_steps"
)
WRAPPED = "the gradients of all devices are averaged here"
SECONDS = "save_checkpoints_secs"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per interval in seconds."""
    return one_per_place(finding for call in run_configs(project) for finding in _check_call(project, call))


def _check_call(project: Project, call: Ref) -> Iterator[Finding]:
    assert isinstance(call.expr, Call)
    named = next((one for one in call.expr.keywords if one.name == SECONDS), None)
    place = last_token(call.key, call.expr.func) if named is None else keyword_name(call.key, named)
    yield from judged(project, CODE, place, partial(_judge, project, call))


def _judge(project: Project, call: Ref, program: str) -> Verdict | None:
    setting = run_config_setting(project, call, SECONDS, program)
    wrapper = None if setting is None else wrapper_in(project, program)
    if setting is None or wrapper is None or not setting.value.every(bool):
        return None
    seconds = telling(setting.value)
    message = MESSAGE.format(seconds=describe(project, SECONDS, seconds))
    places = (
        Related(wrapper.call.place, WRAPPED),
        *related(seconds),
        *related_to(wrapper.deciding),
    )
    return Verdict(lowered_for(Severity.WARNING, [seconds, *wrapper.deciding]), message, places)


RULE = Rule(
    code=CODE,
    name="seconds-on-several-devices",
    summary="Checkpoints by time in a training on several devices.",
    severity="warning",
    fix="manual",
    sources=("INTRO", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
