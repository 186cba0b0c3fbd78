"""
## What it does

Finds all other calls of Horovod: `hvd.allreduce`, `hvd.allgather`, `hvd.broadcast` and what has no
counterpart.

With `--port` the rule looks at all programs that train, without it at those in which a config has the
`NpuOptimizer` entry already.

## Why

They are collective operations over NCCL. Some of them HCCL has, too; of callbacks, compression and the like
there is none.

## Example

```python
total = hvd.allreduce(loss, average=False)
```

## Use instead

```python
total = hccl_ops.allreduce(loss, "sum")
```

## Fix safety

Unsafe: only a run on several NPUs can show that it is right. All of Horovod in a program is replaced, or
nothing: with a call that has no counterpart the program would import both. Then the finding says which one
that is.

## Sources

DOC-HVD; DOC-AR; CODE:npu_init.py; CODE:npu_optimizer.py; CODE:npu_hook.py; CODE:hccl_ops.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Finding
from npu_migrate.project.project import Project
from npu_migrate.rules.horovod import horovod_findings
from npu_migrate.rules.porting import of_ported_programs
from npu_migrate.rules.rule import Rule
from npu_migrate.training.porting.features.distributed.horovod import COLLECTIVE

CODE = "NPU715"
MESSAGE = "Horovod's {name} works over NCCL, which NPUs do not have"


@of_ported_programs
def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per call of this kind."""
    yield from horovod_findings(project, CODE, COLLECTIVE, MESSAGE)


RULE = Rule(
    code=CODE,
    name="horovod-collective",
    summary="Other functions of Horovod.",
    severity="error; info in programs that average over NPUs already and import Horovod on a condition",
    fix="unsafe, all of Horovod together, or manual",
    sources=("DOC-HVD", "DOC-AR", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
