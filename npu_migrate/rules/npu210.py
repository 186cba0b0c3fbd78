"""
## What it does

Points out every `iterations_per_loop` greater than 1. The rule is advice and off unless it is selected by its
exact code: `--select NPU210`.

## Why

While a network is being developed, 1 is the better value: logs are printed for every iteration. Raise it when
the network works, to shorten the training time.

## Example

```python
config = NPURunConfig(iterations_per_loop=100)
```

## Use instead

```python
config = NPURunConfig(iterations_per_loop=1)
```

## Fix safety

There is no edit: both values are right, at different times.

## Sources

SEED-ITER.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Finding, Severity
from npu_migrate.index.facts import Call
from npu_migrate.project.project import Project
from npu_migrate.rules.offload import described
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, telling
from npu_migrate.semantics.values.value import related
from npu_migrate.training.npu.offload import Offload, iterations, offloading, offloads

CODE = "NPU210"
MESSAGE = "{n}: while the network is being developed, 1 shows the log of every iteration"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per config with N > 1."""
    for offload in offloads(project):
        given = iterations(project, offload).given
        assert isinstance(offload.ref.expr, Call)
        place = last_token(offload.ref.key, offload.ref.expr.func) if given is None else given.place
        yield from judged(project, CODE, place, partial(_judge, project, offload))


def _judge(project: Project, offload: Offload, program: str) -> Verdict | None:
    n = offloading(project, offload, program)
    if not n.is_known:
        return None
    known = telling(n)
    return Verdict(Severity.INFO, MESSAGE.format(n=described(project, known)), related(known))


RULE = Rule(
    code=CODE,
    name="offload-during-development",
    summary="Advice to keep iterations_per_loop = 1 while a network is being developed.",
    severity="info; only when selected by its exact code",
    fix="manual",
    sources=("SEED-ITER",),
    documentation=__doc__ or "",
    check=check,
)
