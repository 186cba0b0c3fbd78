"""
## What it does

Finds `hvd.rank()`, `hvd.size()`, `hvd.local_rank()` and `hvd.local_size()`.

With `--port` the rule looks at all programs that train, without it at those in which a config has the
`NpuOptimizer` entry already.

## Why

npu_bridge has functions of the same meaning. They are filled by `init_resource()`.

## Example

```python
opt = tf.train.AdamOptimizer(0.001 * hvd.size())
```

## Use instead

```python
opt = tf.train.AdamOptimizer(0.001 * get_npu_rank_size())
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
from npu_migrate.training.porting.features.distributed.horovod import RANK

CODE = "NPU712"
MESSAGE = "Horovod's {name}() is not known on NPUs: npu_bridge's functions take its place"


@of_ported_programs
def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per call of this kind."""
    yield from horovod_findings(project, CODE, RANK, MESSAGE)


RULE = Rule(
    code=CODE,
    name="horovod-rank",
    summary="Horovod's ranks and sizes.",
    severity="error; info in programs that average over NPUs already and import Horovod on a condition",
    fix="unsafe, all of Horovod together, or manual",
    sources=("DOC-HVD", "DOC-AR", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
