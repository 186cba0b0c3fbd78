"""
## What it does

Finds `hvd.init()` and `hvd.shutdown()`, and places where Horovod goes to where its calls are not seen. This
rule and the other ones about Horovod leave `horovod.torch` and `horovod.mxnet` alone.

With `--port` the rule looks at all programs that train, without it at those in which a config has the
`NpuOptimizer` entry already.

## Why

Horovod talks over MPI and NCCL, which NPUs do not have. They talk over HCCL, which `init_resource()` sets
up in a session of its own. The launcher changes with it: instead of `mpirun` each process is started with
`RANK_TABLE_FILE`, `RANK_ID`, `RANK_SIZE`, `ASCEND_DEVICE_ID` and `JOB_ID` in its environment.

## Example

```python
import horovod.tensorflow as hvd

hvd.init()
```

## Use instead

```python
from npu_bridge.npu_init import close_session, init_resource, shutdown_resource

npu_sess, npu_shutdown = init_resource()
...
shutdown_resource(npu_sess, npu_shutdown)
close_session(npu_sess)
```

## Fix safety

Unsafe: only a run on several NPUs can show that it is right. All of Horovod in a program is replaced, or
nothing: with a call that has no counterpart the program would import both. Then the finding says which one
that is. Nothing is replaced either where the module, or a function of it, is kept or handed on so that not
all of its calls are seen.

`shutdown_resource()` ends the communication for good. Where the program has no `hvd.shutdown()`, it comes at
the end of the block that calls `hvd.init()`, if no training and no other call of Horovod can run after it. A
constructor that keeps its session, or a function that returns one, has no such end: nothing is replaced then.

## Sources

DOC-HVD; DOC-AR; CODE:npu_init.py; CODE:npu_optimizer.py; CODE:npu_hook.py; CODE:hccl_ops.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Finding, Severity
from npu_migrate.project.project import Project
from npu_migrate.rules.horovod import horovod_findings
from npu_migrate.rules.porting import of_ported_programs, reported
from npu_migrate.rules.rule import Rule
from npu_migrate.training.porting.features.distributed.horovod import INIT
from npu_migrate.training.porting.features.distributed.horovod_calls import unseen_horovod

CODE = "NPU711"
MESSAGE = (
    "Horovod's {name}() has no GPUs to connect: NPUs talk over HCCL; start each process with "
    "RANK_TABLE_FILE, RANK_ID, RANK_SIZE, ASCEND_DEVICE_ID and JOB_ID"
)
UNSEEN = (
    "Horovod is used here in a way in which not all of its calls are seen: NPUs talk over HCCL; replace all "
    "of Horovod by npu_bridge's functions by hand"
)


@of_ported_programs
def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per call of this kind, and one per file in which Horovod gets out of sight."""
    yield from horovod_findings(project, CODE, INIT, MESSAGE)
    for ref in unseen_horovod(project):
        yield from reported(project, CODE, Severity.ERROR, ref, UNSEEN, whole=True)


RULE = Rule(
    code=CODE,
    name="horovod-init",
    summary="Horovod's init and shutdown.",
    severity="error; info in programs that average over NPUs already and import Horovod on a condition",
    fix="unsafe, all of Horovod together, or manual",
    sources=("DOC-HVD", "DOC-AR", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
