"""
## What it does

Finds `tf.train.Server`, also by `create_local_server`, `tf.train.replica_device_setter`,
`SyncReplicasOptimizer` and `ParameterServerStrategy`. A `replica_device_setter` that gets 0 servers places
nothing and is no finding, also if 0 is the default of a flag.

With `--port` the rule looks at all programs that train, without it at those in which a config has the
`NpuOptimizer` entry already.

## Why

Of parameter servers only one way is documented for NPUs: an `NPUEstimator` whose `NPURunConfig` gets
`distribute=tf.distribute.experimental.ParameterServerStrategy()`. Sessions on a server are not moved.

## Example

```python
server = tf.train.Server(cluster, job_name="worker", task_index=0)
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    loss = model(x)
```

## Use instead

Prefer one process for each NPU whose gradients are averaged (`npu_distributed_optimizer_wrapper`). Where the
embeddings do not fit on the devices, move to an `NPUEstimator`.

## Fix safety

There is no fix: it is another program.

## Sources

DOC-PS.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Finding, Severity
from npu_migrate.project.project import Project
from npu_migrate.rules.porting import of_ported_programs, programs_to_move, reported, spoken
from npu_migrate.rules.rule import Rule
from npu_migrate.training.porting.features.distributed.distribution import parameter_servers

CODE = "NPU718"
MESSAGE = (
    "{name} is for parameter servers: on NPUs only NPUEstimator with ParameterServerStrategy is documented"
)


@of_ported_programs
def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per part of a cluster with parameter servers."""
    for one in parameter_servers(project):
        moved = programs_to_move(project, one.ref.key)
        severity = Severity.ERROR if moved is None else moved.severity
        yield from reported(project, CODE, severity, one.ref, MESSAGE.format(name=spoken(one.name)))


RULE = Rule(
    code=CODE,
    name="parameter-server",
    summary="Training with parameter servers.",
    severity="error; warning in programs that have something of npu_bridge already",
    fix="manual",
    sources=("DOC-PS",),
    documentation=__doc__ or "",
    check=check,
)
