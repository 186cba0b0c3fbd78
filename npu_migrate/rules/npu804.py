"""
## What it does

Finds a `session.run` below a condition that differs from rank to rank, unless the other ranks run the same.

## Why

Each set of fetches becomes a graph on the device, and the graphs are numbered in the order in which they are
first run. A run that only one rank makes moves the numbers of all its later graphs. The ranks then join their
collective operations by different numbers, wait for each other, and the job hangs.

## Example

```python
if get_rank_id() == 0:
    print(sess.run(accuracy))
```

## Use instead

```python
value = sess.run(accuracy)
if get_rank_id() == 0:
    print(value)
```

Saving a checkpoint on one rank is no finding. Neither is a loop until `should_stop()` of a session whose
config or hooks know the rank, such as the hook that broadcasts variables: it ends on all ranks.

## Fix safety

No edit: the run may stand below the condition because it may not be made twice.

## Sources

FAQ:multi-device_model_error.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Finding, Related, Severity
from npu_migrate.index.facts import Call
from npu_migrate.project.project import Project
from npu_migrate.rules.offload import one_per_place
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.training.distributed.rank_runs import RankRun, rank_runs
from npu_migrate.training.npu.programs import programs_with_npu

CODE = "NPU804"
MESSAGE = (
    "not all ranks make this run: graphs are numbered as they are first run, so later graphs of the ranks no "
    "longer match, and the job hangs; run it on all ranks"
)
CONDITION = "this differs from rank to rank"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per run that some ranks do not make."""
    yield from one_per_place(finding for found in rank_runs(project) for finding in _findings(project, found))


def _findings(project: Project, found: RankRun) -> Iterator[Finding]:
    programs = programs_with_npu(project, found.run.key)
    if found.run.key in project.targets and programs:
        assert isinstance(found.run.expr, Call)
        place = last_token(found.run.key, found.run.expr.func)
        related = (Related(found.condition.place, CONDITION),)
        yield Finding(CODE, Severity.WARNING, MESSAGE, place, related, programs=programs)


RULE = Rule(
    code=CODE,
    name="rank-dependent-run",
    summary="A session run that not all ranks make.",
    severity="warning",
    fix="manual",
    sources=("FAQ",),
    documentation=__doc__ or "",
    check=check,
)
