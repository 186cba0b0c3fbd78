"""
## What it does

Finds `hvd.BroadcastGlobalVariablesHook` and the like.

With `--port` the rule looks at all programs that train, without it at those in which a config has the
`NpuOptimizer` entry already.

## Why

All devices have to begin with the same variables. npu_bridge's hook broadcasts trainable variables;
statistics of batch normalization and slots of optimizers stay as each device has them.

## Example

```python
hooks = [hvd.BroadcastGlobalVariablesHook(0)]
```

## Use instead

```python
hooks = [NPUBroadcastGlobalVariablesHook(0, get_npu_rank_id())]
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
from npu_migrate.training.porting.features.distributed.horovod import BROADCAST

CODE = "NPU714"
MESSAGE = (
    "Horovod's {name} broadcasts variables over NCCL: "
    "npu_bridge's broadcasts those that are trainable, over HCCL"
)
BY_HAND = (
    "{message}; by hand: for each variable v run tf.assign(v, hccl_ops.broadcast([v], 0)[0]) after "
    "the initializers"
)


@of_ported_programs
def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per call of this kind."""
    yield from horovod_findings(
        project,
        CODE,
        BROADCAST,
        MESSAGE,
        dict.fromkeys(("broadcast_global_variables", "broadcast_variables"), BY_HAND),
    )


RULE = Rule(
    code=CODE,
    name="horovod-broadcast",
    summary="Horovod's broadcast of variables.",
    severity="error; info in programs that average over NPUs already and import Horovod on a condition",
    fix="unsafe, all of Horovod together, or manual",
    sources=("DOC-HVD", "DOC-AR", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
