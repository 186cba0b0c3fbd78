"""
## What it does

Finds arguments of Rec SDK's `init` that have no effect beside the others:

- `restore_model_version` without `if_load=True`;
- `recent_key_count_threshold` or `save_delta_checkpoints_secs` without `is_incremental_checkpoint=True`.

A program that sets `if_load` later, as with `set_if_load(True)`, is not reported.

## Why

The first chooses which model is loaded, and nothing is loaded. The others belong to incremental
checkpoints, which are off unless they are switched on.

## Example

```python
from mx_rec.util.initialize import init

init(max_steps=1000, train_steps=100, eval_steps=10, save_steps=100, restore_model_version=500)
```

## Use instead

```python
from mx_rec.util.initialize import init

init(max_steps=1000, train_steps=100, eval_steps=10, save_steps=100, if_load=True, restore_model_version=500)
```

Or leave the argument out.

## Fix safety

No edit: whether the argument or the switch is wrong is not known.

## Sources

SEED-REC.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Finding, Severity
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.rec import name_place, reasons
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, telling
from npu_migrate.semantics.values.value import describe
from npu_migrate.training.rec.init_calls import init_calls, is_set_later, passed

CODE = "NPU512"
ABSENT = "{name} has no effect without {switch}=True"
OFF = "{name} has no effect: {switch}"

_SWITCHES = {
    "restore_model_version": "if_load",
    "recent_key_count_threshold": "is_incremental_checkpoint",
    "save_delta_checkpoints_secs": "is_incremental_checkpoint",
}


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per argument without effect."""
    for call in init_calls(project):
        for name, switch in _SWITCHES.items():
            given = passed(project, call, name)
            if given is not None and (given.value.is_known or given.given is not None):
                judge = partial(_judge, project, call, name, switch)
                yield from judged(project, CODE, name_place(call, given), judge, asked=call.key)


def _judge(project: Project, call: Ref, name: str, switch: str, program: str) -> Verdict | None:
    given = passed(project, call, switch, program)
    if is_set_later(project, program, switch):
        return None
    if given is None:
        return Verdict(Severity.INFO, ABSENT.format(name=name, switch=switch))
    if not given.value.every(lambda value: value is False):
        return None
    known = telling(given.value)
    message = OFF.format(name=name, switch=describe(project, switch, known))
    return Verdict(Severity.INFO, message, reasons(known))


RULE = Rule(
    code=CODE,
    name="rec-argument-without-effect",
    summary="An argument of Rec SDK's `init` that has no effect beside the others.",
    severity="info",
    fix="manual",
    sources=("SEED-REC",),
    documentation=__doc__ or "",
    check=check,
)
