"""
## What it does

Finds loops that build a copy of the model for each GPU in one graph, and `multi_gpu_model`. Copies that only
predict are left alone.

With `--port` the rule looks at all programs that train, without it at those in which a config has the
`NpuOptimizer` entry already.

## Why

A process has one NPU. Copies in one graph would all be computed by it, and `multi_gpu_model` raises an
error without GPUs.

## Example

```python
for i in range(num_gpus):
    with tf.device("/gpu:%d" % i):
        grads.append(opt.compute_gradients(tower_loss(i)))
grads = average_gradients(grads)
```

## Use instead

Build one copy (most scripts have a flag `num_gpus`), start one process for each NPU, and let
`npu_distributed_optimizer_wrapper` average the gradients.

## Fix safety

There is no fix: which flag says how many copies there are, and what else depends on it, differs from script
to script.

## Sources

DOC-RESTR; DOC-AR.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Finding, Severity
from npu_migrate.project.project import Project
from npu_migrate.rules.porting import of_ported_programs, reported
from npu_migrate.rules.rule import Rule
from npu_migrate.training.porting.features.distributed.distribution import towers

CODE = "NPU717"
MESSAGE = (
    "this builds a copy of the model for each GPU in one graph: a process has one NPU; "
    "build one copy and start a process for each device"
)


@of_ported_programs
def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per place that builds copies."""
    for one in towers(project):
        yield from reported(project, CODE, Severity.ERROR, one.ref, MESSAGE)


RULE = Rule(
    code=CODE,
    name="in-graph-multi-gpu",
    summary="One graph with a copy of the model for each GPU.",
    severity="error",
    fix="manual",
    sources=("DOC-RESTR", "DOC-AR"),
    documentation=__doc__ or "",
    check=check,
)
