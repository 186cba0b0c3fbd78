"""
## What it does

Finds calls of Rec SDK's `init` in which every one of `max_steps`, `train_steps` and `eval_steps` that is
passed is 0. What is left out does not help: only the arguments that are passed are looked at.

## Why

`init` raises `ValueError`: with no steps to train and none to evaluate there is nothing to do.

## Example

```python
from mx_rec.util.initialize import init

init(train_steps=0, eval_steps=0, save_steps=100)
```

## Use instead

```python
from mx_rec.util.initialize import init

init(max_steps=1000, train_steps=100, eval_steps=10, save_steps=100)
```

To evaluate only, pass the steps of the evaluation and leave the others out.

## Fix safety

No edit: only you know how many steps the program runs.

## Sources

SEED-REC; REC-CODE:mx_rec/util/initialize.py.
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
from npu_migrate.semantics.values.value import describe, is_integer
from npu_migrate.training.rec.init_calls import init_calls, passed

CODE = "NPU504"
MESSAGE = "init() raises ValueError when all steps that it is passed are 0: {values}"

_STEPS = ("max_steps", "train_steps", "eval_steps")


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per call that is passed no steps at all."""
    for call in init_calls(project):
        yield from judged(project, CODE, call_place(call), partial(_judge, project, call), asked=call.key)


def _judge(project: Project, call: Ref, program: str) -> Verdict | None:
    steps = [(name, passed(project, call, name, program)) for name in _STEPS]
    values = {name: given.value for name, given in steps if given is not None}
    if not values or not all(value.every(_is_zero) for value in values.values()):
        return None
    zeros = {name: telling(value) for name, value in values.items()}
    text = ", ".join(describe(project, name, known) for name, known in zeros.items())
    severity = lowered_for(Severity.ERROR, zeros.values())
    return Verdict(severity, MESSAGE.format(values=text), reasons(*zeros.values()))


def _is_zero(value: object) -> bool:
    return is_integer(value) and value == 0


RULE = Rule(
    code=CODE,
    name="rec-init-all-steps-zero",
    summary="A call of Rec SDK's `init` that is passed no steps other than 0.",
    severity="error",
    fix="manual",
    sources=("SEED-REC", "REC-CODE"),
    documentation=__doc__ or "",
    check=check,
)
