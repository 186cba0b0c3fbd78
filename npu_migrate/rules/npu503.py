"""
## What it does

Finds numbers outside the range that Rec SDK's `init` documents for them:

- `max_steps`, `train_steps`, `eval_steps`, `save_steps`: -1 to 2147483647;
- `save_checkpoint_due_time`, `save_delta_checkpoints_secs`: 1 to 2147483647;
- `restore_model_version`, `recent_key_count_threshold`: 0 to 2147483647.

## Why

`init` checks the ranges of what it is passed and raises `ValueError`.

## Example

```python
from mx_rec.util.initialize import init

init(max_steps=1000, train_steps=100, eval_steps=-2, save_steps=100)
```

## Use instead

```python
from mx_rec.util.initialize import init

init(max_steps=1000, train_steps=100, eval_steps=10, save_steps=100)
```

## Fix safety

No edit: only you know which value is meant.

## Sources

SEED-REC; REC-CODE:mx_rec/util/initialize.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Finding, Severity
from npu_migrate.knowledge import rec
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.rec import reasons, value_place
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, lowered_for, telling
from npu_migrate.semantics.values.value import describe, is_integer
from npu_migrate.training.rec.init_calls import init_calls, passed

CODE = "NPU503"
MESSAGE = "{value}: init() takes {smallest} to {largest} and raises ValueError"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per number outside its range."""
    for call in init_calls(project):
        for name, argument in rec.ARGUMENTS.items():
            given = passed(project, call, name)
            if argument.smallest is not None and given is not None:
                judge = partial(_judge, project, call, name, argument.smallest)
                yield from judged(project, CODE, value_place(call, given), judge, asked=call.key)


def _judge(project: Project, call: Ref, name: str, smallest: int, program: str) -> Verdict | None:
    given = passed(project, call, name, program)
    if given is None or not given.value.every(lambda value: _is_outside(value, smallest)):
        return None
    known = telling(given.value)
    message = MESSAGE.format(value=describe(project, name, known), smallest=smallest, largest=rec.LARGEST)
    return Verdict(lowered_for(Severity.ERROR, [known]), message, reasons(known))


def _is_outside(value: object, smallest: int) -> bool:
    return is_integer(value) and not smallest <= value <= rec.LARGEST


RULE = Rule(
    code=CODE,
    name="rec-init-range",
    summary="An argument of Rec SDK's `init` outside its range.",
    severity="error",
    fix="manual",
    sources=("SEED-REC", "REC-CODE"),
    documentation=__doc__ or "",
    check=check,
)
