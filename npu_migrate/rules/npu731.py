"""
## What it does

Finds `CUDA_VISIBLE_DEVICES` and `gpu_options.visible_device_list`.

With `--port` the rule looks at all programs that train, without it at none.

## Why

They choose among GPUs and have no effect on the NPU. Which NPU a process takes is said by
`session_device_id`, else by the environment variables `ASCEND_DEVICE_ID` and `DEVICE_ID`, else it is 0.

## Example

```python
os.environ["CUDA_VISIBLE_DEVICES"] = "2"
```

## Use instead

Set `ASCEND_DEVICE_ID` where the script is started. A script that sets it itself takes the choice from whoever
starts several.

## Fix safety

There is no fix: the line does no harm, and a list of GPUs has no counterpart.

## Sources

CODE:npu_attrs.cc.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Finding
from npu_migrate.project.project import Project
from npu_migrate.rules.porting import advised, of_ported_programs
from npu_migrate.rules.rule import Rule
from npu_migrate.training.porting.features.found import stores_of
from npu_migrate.training.porting.staying.hidden_gpus import visible_devices

CODE = "NPU731"
MESSAGE = (
    "{name} chooses among GPUs and has no effect on the NPU: set ASCEND_DEVICE_ID where the script is started"
)


@of_ported_programs
def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per choice."""
    for ref in visible_devices(project):
        message = MESSAGE.format(name="CUDA_VISIBLE_DEVICES")
        yield from advised(project, CODE, ref, message, whole=True)
    for target, _ in stores_of(project, "visible_device_list"):
        message = MESSAGE.format(name="visible_device_list")
        yield from advised(project, CODE, target, message, whole=True)


RULE = Rule(
    code=CODE,
    name="cuda-device-selection",
    summary="A choice among GPUs.",
    severity="info",
    fix="manual",
    sources=("CODE",),
    documentation=__doc__ or "",
    check=check,
)
