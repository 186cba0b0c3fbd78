"""
## What it does

Finds Rec SDK programs that switch LCCL on (`init(use_lccl=True)`) together with what it does not support:
dynamic expansion, or tables that are not only in on-chip memory (`host_vocabulary_size` or
`ssd_vocabulary_size` greater than 0).

## Why

The low latency collectives (All2All, GatherAll, GatherUss) exist for the mode without expansion in the
on-chip memory of a single server only.

## Example

```python
from mx_rec.util.initialize import init

init(
    max_steps=1000,
    train_steps=100,
    eval_steps=10,
    save_steps=100,
    use_dynamic_expansion=True,
    use_lccl=True,
)
```

## Use instead

```python
from mx_rec.util.initialize import init

init(
    max_steps=1000,
    train_steps=100,
    eval_steps=10,
    save_steps=100,
    use_dynamic_expansion=True,
    use_lccl=False,
)
```

## Fix safety

No edit: which of the two to give up is your decision.

## Sources

SEED-REC; REC-DOC:model_apis.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from npu_migrate.findings import Finding, Related, Severity
from npu_migrate.knowledge import rec
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.rec import reasons, value_place
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, lowered_for, telling
from npu_migrate.semantics.values.value import Known, describe
from npu_migrate.training.rec.init_calls import init_calls, passed, tables_outside_chip

CODE = "NPU511"
MESSAGE = "LCCL works in on-chip memory without expansion only: {lccl}; {obstacle}"
OBSTACLE_HERE = "this is not supported together with LCCL"

_LCCL = "use_lccl"
_EXPANSION = "use_dynamic_expansion"


class _Obstacle(NamedTuple):
    name: str
    known: Known
    place: Related


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per switch that is on where LCCL does not work."""
    for call in init_calls(project):
        lccl = passed(project, call, _LCCL)
        if lccl is not None:
            place = value_place(call, lccl)
            yield from judged(project, CODE, place, partial(_judge, project, call), asked=call.key)


def _judge(project: Project, call: Ref, program: str) -> Verdict | None:
    lccl = passed(project, call, _LCCL, program)
    obstacle = next(_obstacles(project, call, program), None)
    if lccl is None or obstacle is None or not lccl.value.every(lambda value: value is True):
        return None
    known = telling(lccl.value)
    message = MESSAGE.format(
        lccl=describe(project, _LCCL, known), obstacle=describe(project, obstacle.name, obstacle.known)
    )
    deciding = (known, obstacle.known)
    return Verdict(lowered_for(Severity.WARNING, deciding), message, (obstacle.place, *reasons(*deciding)))


def _obstacles(project: Project, call: Ref, program: str) -> Iterator[_Obstacle]:
    """What LCCL does not work with, certain things before defaults."""
    found = [*_expansion(project, call, program), *_tables(project, program)]
    yield from sorted(found, key=lambda obstacle: obstacle.known.is_default)


def _expansion(project: Project, call: Ref, program: str) -> Iterator[_Obstacle]:
    switch = passed(project, call, _EXPANSION, program)
    if switch is not None and switch.value.every(lambda value: value is True):
        place = Related(value_place(call, switch), OBSTACLE_HERE)
        yield _Obstacle(_EXPANSION, telling(switch.value), place)


def _tables(project: Project, program: str) -> Iterator[_Obstacle]:
    for table in tables_outside_chip(project, program, (rec.HOST_SIZE, rec.SSD_SIZE)):
        yield _Obstacle(table.name, table.known, Related(table.given.place, OBSTACLE_HERE))


RULE = Rule(
    code=CODE,
    name="rec-lccl-scope",
    summary="LCCL together with dynamic expansion or with tables outside of on-chip memory.",
    severity="warning",
    fix="manual",
    sources=("SEED-REC", "REC-DOC"),
    documentation=__doc__ or "",
    check=check,
)
