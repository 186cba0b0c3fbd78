"""
## What it does

Finds calls of Rec SDK's `init` that switch incremental checkpoints on (`is_incremental_checkpoint=True`)
without saying how often to save: both `save_checkpoint_due_time` and `save_delta_checkpoints_secs` are
mandatory then.

## Why

`init` itself does not check this. The error comes later, as a `ValueError` when the timer of the first
checkpoint hook is built, after the graph has been made and the data has been opened.

## Example

```python
from mx_rec.util.initialize import init

init(max_steps=1000, save_steps=100, is_incremental_checkpoint=True, save_checkpoint_due_time=3600)
```

## Use instead

```python
from mx_rec.util.initialize import init

init(
    max_steps=1000,
    save_steps=100,
    is_incremental_checkpoint=True,
    save_checkpoint_due_time=3600,
    save_delta_checkpoints_secs=300,
)
```

## Fix safety

No edit: how often to save is your decision.

## Sources

SEED-REC; REC-CODE:mx_rec/saver/patch.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Finding, Severity
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.rec import call_place, reasons
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, lowered_for, telling
from npu_migrate.semantics.values.value import describe
from npu_migrate.training.rec.init_calls import init_calls, passed

CODE = "NPU505"
MESSAGE = "incremental checkpoints also need {missing}, which the call does not pass: {switch}"

_SWITCH = "is_incremental_checkpoint"
_NEEDED = ("save_checkpoint_due_time", "save_delta_checkpoints_secs")


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per call that switches incremental checkpoints on without their intervals."""
    for call in init_calls(project):
        yield from judged(project, CODE, call_place(call), partial(_judge, project, call), asked=call.key)


def _judge(project: Project, call: Ref, program: str) -> Verdict | None:
    switch = passed(project, call, _SWITCH, program)
    missing = [name for name in _NEEDED if passed(project, call, name, program) is None]
    if switch is None or not missing or not switch.value.every(lambda value: value is True):
        return None
    known = telling(switch.value)
    message = MESSAGE.format(switch=describe(project, _SWITCH, known), missing=" and ".join(missing))
    return Verdict(lowered_for(Severity.ERROR, [known]), message, reasons(known))


RULE = Rule(
    code=CODE,
    name="rec-incremental-checkpoint-incomplete",
    summary="Incremental checkpoints without the two intervals that they need.",
    severity="error",
    fix="manual",
    sources=("SEED-REC", "REC-CODE"),
    documentation=__doc__ or "",
    check=check,
)
