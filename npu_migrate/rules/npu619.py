"""
## What it does

Finds programs that place operations on a GPU with `tf.device`, or let a function place them, and run with an
NPU config that has no `allow_soft_placement=True`; and `NPURunConfig` calls without a `session_config` in
such a program.

## Why

Without soft placement TensorFlow refuses a device that it does not have: `InvalidArgumentError`. An NPU is no
GPU, and there is none beside it. TensorFlow's own `RunConfig` allows soft placement by default;
`NPUEstimator` uses a bare `ConfigProto`.

With `--port` NPU706 speaks of these configs.

`npu_bridge.npu_init` switches soft placement on for every session since r1.9, so with the setting `cann` at
7.0 or later a program that imports it is no finding.

## Example

```python
config = tf.ConfigProto()
with tf.device("/gpu:0"):
    y = model(x)
```

## Use instead

```python
config = tf.ConfigProto(allow_soft_placement=True)
with tf.device("/gpu:0"):
    y = model(x)
```

## Fix safety

Safe: where all devices are there it changes nothing. The names of devices stay.

## Sources

DOC-PORT; CODE:npu_config.py; [TF].
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Finding
from npu_migrate.project.project import Project
from npu_migrate.rules.placing import hard_placement
from npu_migrate.rules.rule import Rule

CODE = "NPU619"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per config without soft placement."""
    if not project.options.port:
        yield from hard_placement(project, CODE)


RULE = Rule(
    code=CODE,
    name="soft-placement",
    summary="An NPU config without soft placement in a program that names GPUs.",
    severity="warning",
    fix="safe",
    sources=("DOC-PORT", "CODE", "[TF]"),
    documentation=__doc__ or "",
    check=check,
)
