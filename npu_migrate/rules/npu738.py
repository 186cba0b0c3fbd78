"""
## What it does

Finds `multiprocessing.Process` and `Pool` in programs that do not say how processes begin.

With `--port` the rule looks at all programs that train, without it at none.

## Why

By default a process begins as a copy of this one, with its threads lost and its device open. The documents
ask for `forkserver`.

## Example

```python
pool = multiprocessing.Pool(4)
```

## Use instead

```python
multiprocessing.set_start_method("forkserver")
pool = multiprocessing.Pool(4)
```

## Fix safety

There is no fix: where the processes are started decides whether that is needed.

## Sources

DOC-RESTR.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Finding
from npu_migrate.project.project import Project
from npu_migrate.rules.porting import advised, of_ported_programs, spoken
from npu_migrate.rules.rule import Rule
from npu_migrate.training.porting.features.host import forks

CODE = "NPU738"
MESSAGE = (
    '{name} begins as a copy of a process that has the NPU open: call set_start_method("forkserver") first'
)


@of_ported_programs
def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per place."""
    for one in forks(project):
        yield from advised(project, CODE, one.ref, MESSAGE.format(name=spoken(one.name)))


RULE = Rule(
    code=CODE,
    name="fork-after-tf",
    summary="Processes that are forked beside a training session.",
    severity="info",
    fix="manual",
    sources=("DOC-RESTR",),
    documentation=__doc__ or "",
    check=check,
)
