"""
## What it does

Finds imports of NVIDIA DALI, TensorRT, CuPy, PyCUDA, NCCL and NVTX, and compiled ops that are loaded with
`tf.load_op_library`.

With `--port` the rule looks at all programs that train, without it at those in which a config has the
`NpuOptimizer` entry already.

## Why

The libraries are made for GPUs. A compiled op has kernels for the devices that it was compiled for, and the
NPU is none of them.

## Example

```python
import cupy as cp
```

## Use instead

Use NumPy for CuPy, `tf.data` for DALI. A compiled op needs a custom operator for the NPU, or ops of
TensorFlow.

## Fix safety

There is no fix: there is no drop-in replacement.

## Sources

DOC-RESTR; DOC-AUTO.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Finding, Severity
from npu_migrate.project.project import Project
from npu_migrate.rules.porting import of_ported_programs
from npu_migrate.rules.rule import Rule
from npu_migrate.training.porting.features.libraries import gpu_libraries
from npu_migrate.training.porting.to_move import ported_programs
from npu_migrate.training.porting.trains import program_trains

CODE = "NPU735"
MESSAGE = "{name} needs a GPU"
COMPILED = "the ops of this library are compiled for other devices: the NPU has no kernels for them"


@of_ported_programs
def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per library."""
    for one in gpu_libraries(project):
        key = one.place.path
        programs = ported_programs(project, key) if key in project.targets else ()
        training = tuple(program for program in programs if program_trains(project, program))
        if training:
            message = COMPILED if one.name is None else MESSAGE.format(name=one.name)
            yield Finding(CODE, Severity.ERROR, message, one.place, (), None, training)


RULE = Rule(
    code=CODE,
    name="gpu-library",
    summary="A library that needs a GPU.",
    severity="error",
    fix="manual",
    sources=("DOC-RESTR",),
    documentation=__doc__ or "",
    check=check,
)
