"""
## What it does

Finds two kinds of intervals of checkpoints that do not go together in Rec SDK's `init`:

- `save_checkpoint_due_time`, the seconds between full models, is not greater than
  `save_delta_checkpoints_secs`, the seconds between incremental ones;
- advice: incremental checkpoints in a program that has tables on SSD (`ssd_vocabulary_size` > 0). A small
  interval can make the saving threads race for the data there and end the process.

## Why

An incremental model holds what has changed since the last full one. When full models are saved as often as
incremental ones, or more often, the incremental ones are of no use.

## Example

```python
from mx_rec.util.initialize import init

init(
    max_steps=1000,
    save_steps=100,
    is_incremental_checkpoint=True,
    save_checkpoint_due_time=300,
    save_delta_checkpoints_secs=3600,
)
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

SEED-REC.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Finding, Related, Severity
from npu_migrate.knowledge import rec
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.rec import reasons, value_place
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, lowered_for, telling
from npu_migrate.semantics.values.value import Value, describe, is_integer
from npu_migrate.training.rec.init_calls import init_calls, passed, tables_outside_chip

CODE = "NPU506"
NOT_GREATER = "full models should be saved less often than incremental ones: {due}; {delta}"
RACE = "with tables on SSD, a small interval of incremental checkpoints can end the process: {due}"
TABLE = "a table on SSD"

_DUE = "save_checkpoint_due_time"
_DELTA = "save_delta_checkpoints_secs"
_SWITCH = "is_incremental_checkpoint"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per due time that does not suit the other settings."""
    for call in init_calls(project):
        due = passed(project, call, _DUE)
        if due is not None:
            place = value_place(call, due)
            yield from judged(project, CODE, place, partial(_judge, project, call), asked=call.key)


def _judge(project: Project, call: Ref, program: str) -> Verdict | None:
    due = passed(project, call, _DUE, program)
    if due is None or not due.value.every(is_integer):
        return None
    return _judge_delta(project, call, due.value, program) or _judge_tables(project, call, due.value, program)


def _judge_delta(project: Project, call: Ref, due: Value, program: str) -> Verdict | None:
    delta = passed(project, call, _DELTA, program)
    if delta is None or not delta.value.every(is_integer):
        return None
    longest = max(due.alternatives, key=lambda known: known.constant)
    shortest = min(delta.value.alternatives, key=lambda known: known.constant)
    if longest.constant > shortest.constant:
        return None
    deciding = (longest, shortest)
    message = NOT_GREATER.format(
        due=describe(project, _DUE, longest), delta=describe(project, _DELTA, shortest)
    )
    return Verdict(lowered_for(Severity.WARNING, deciding), message, reasons(*deciding))


def _judge_tables(project: Project, call: Ref, due: Value, program: str) -> Verdict | None:
    switch = passed(project, call, _SWITCH, program)
    if switch is None or not switch.value.every(lambda value: value is True):
        return None
    tables = tables_outside_chip(project, program, (rec.SSD_SIZE,))
    if not tables:
        return None
    places = tuple(Related(table.given.place, TABLE) for table in tables)
    message = RACE.format(due=describe(project, _DUE, telling(due)))
    return Verdict(Severity.INFO, message, places)


RULE = Rule(
    code=CODE,
    name="rec-checkpoint-intervals",
    summary="Intervals of full and incremental checkpoints that do not go together.",
    severity="warning; info for incremental checkpoints with tables on SSD",
    fix="manual",
    sources=("SEED-REC",),
    documentation=__doc__ or "",
    check=check,
)
