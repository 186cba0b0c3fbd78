"""
## What it does

Finds `hvd.DistributedOptimizer`.

With `--port` the rule looks at all programs that train, without it at those in which a config has the
`NpuOptimizer` entry already.

## Why

It averages gradients over NCCL. `npu_distributed_optimizer_wrapper` does so over HCCL. Arguments that
change what is computed, such as `compression`, `op` or `backward_passes_per_step`, have no counterpart.

## Example

```python
opt = hvd.DistributedOptimizer(opt)
```

## Use instead

```python
opt = npu_distributed_optimizer_wrapper(opt)
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
from npu_migrate.training.porting.features.distributed.horovod import OPTIMIZER

CODE = "NPU713"
MESSAGE = "Horovod's {name} averages gradients over NCCL: NPUs need npu_distributed_optimizer_wrapper"


@of_ported_programs
def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per call of this kind."""
    yield from horovod_findings(project, CODE, OPTIMIZER, MESSAGE)


RULE = Rule(
    code=CODE,
    name="horovod-optimizer",
    summary="Horovod's distributed optimizer.",
    severity="error; info in programs that average over NPUs already and import Horovod on a condition",
    fix="unsafe, all of Horovod together, or manual",
    sources=("DOC-HVD", "DOC-AR", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
