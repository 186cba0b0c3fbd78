"""
## What it does

Finds `RunOptions.FULL_TRACE`, `tf.profiler` and timelines.

With `--port` the rule looks at all programs that train, without it at none.

## Why

They tell what CPUs and GPUs do. What the NPU does is told by `profiling_mode` and `profiling_options` in
its config.

## Example

```python
options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
```

## Use instead

```python
custom_op.parameter_map["profiling_mode"].b = True
```

## Fix safety

There is no fix: the line does no harm.

## Sources

DOC-RC.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Finding
from npu_migrate.project.project import Project
from npu_migrate.rules.porting import advised, of_ported_programs, spoken
from npu_migrate.rules.rule import Rule
from npu_migrate.training.porting.features.host import profiles

CODE = "NPU737"
MESSAGE = "{name} sees nothing of the NPU: use profiling_mode and profiling_options of the config"


@of_ported_programs
def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per place."""
    for one in profiles(project):
        yield from advised(project, CODE, one.ref, MESSAGE.format(name=spoken(one.name)))


RULE = Rule(
    code=CODE,
    name="gpu-profiling",
    summary="Profiling as TensorFlow does it.",
    severity="info",
    fix="manual",
    sources=("DOC-RC",),
    documentation=__doc__ or "",
    check=check,
)
