"""
## What it does

Finds arguments of Rec SDK's `init` whose value has the wrong type: a text or a float where a whole number is
expected, anything but True and False where a switch is expected.

## Why

`init` checks the type of what it is passed and raises `ValueError`. A bool passes as a number and 0 or 1 may
pass as a switch, but either says something else than it seems to: `max_steps=True` trains one step.

## Example

```python
from mx_rec.util.initialize import init

init(max_steps="1000", train_steps=1e2, eval_steps=10, save_steps=100)
```

## Use instead

```python
from mx_rec.util.initialize import init

init(max_steps=1000, train_steps=100, eval_steps=10, save_steps=100)
```

For a switch that comes from the environment: `use_dynamic=bool(int(os.getenv("USE_DYNAMIC", "1")))`.

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
from npu_migrate.semantics.values.value import Known, describe
from npu_migrate.training.rec.init_calls import init_calls, passed

CODE = "NPU502"
WRONG = "{value}: init() expects {wanted} and raises ValueError"
DOUBTFUL = "{value}: init() expects {wanted}"
WANTED = {int: "an int", bool: "True or False"}


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per value of the wrong type."""
    for call in init_calls(project):
        for name, argument in rec.ARGUMENTS.items():
            given = passed(project, call, name)
            if argument.kind is not None and given is not None:
                judge = partial(_judge, project, call, name, argument.kind)
                yield from judged(project, CODE, value_place(call, given), judge, asked=call.key)


def _judge(project: Project, call: Ref, name: str, kind: type, program: str) -> Verdict | None:
    given = passed(project, call, name, program)
    if given is None or not given.value.is_known:
        return None
    worst = min(_severity(known, kind) or 0 for known in given.value.alternatives)
    if not worst:
        return None
    known = telling(given.value)
    text = WRONG if worst == Severity.ERROR else DOUBTFUL
    message = text.format(value=describe(project, name, known), wanted=WANTED[kind])
    return Verdict(lowered_for(Severity(worst), [known]), message, reasons(known))


def _severity(known: Known, kind: type) -> Severity | None:
    """How bad one value is; None for a good one, and for a default of None, which stands for "not given"."""
    value = known.constant
    if type(value) is kind or (value is None and known.is_default):
        return None
    passes = isinstance(value, bool) if kind is int else type(value) is int and value in (0, 1)
    return Severity.WARNING if passes else Severity.ERROR


RULE = Rule(
    code=CODE,
    name="rec-init-type",
    summary="An argument of Rec SDK's `init` that has the wrong type.",
    severity="error; warning for a bool as a number and for 0 or 1 as a switch",
    fix="manual",
    sources=("SEED-REC", "REC-CODE"),
    documentation=__doc__ or "",
    check=check,
)
