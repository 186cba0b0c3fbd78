"""
## What it does

Finds calls that switch eager execution on (`tf.enable_eager_execution()`, `tf.enable_v2_behavior()`) in
programs that train.

With `--port` the rule looks at all programs that train, without it at those in which a config has the
`NpuOptimizer` entry already.

## Why

The adapter for TensorFlow 1.15 takes graphs to the NPU, and a session is where it gets them. In eager
execution there is none. Programs for TensorFlow 2 have an adapter of their own, `npu_device`.

## Example

```python
tf.enable_eager_execution()
optimizer.minimize(lambda: loss(model, x))
```

## Use instead

Build a graph and run it in a session, or port the program to TensorFlow 2 and use `npu_device`.

## Fix safety

There is no fix: the program has to be written differently.

## Sources

DOC-RESTR; XLSX; CODE:npu_init.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Finding, Severity
from npu_migrate.knowledge.tensorflow import EAGER_SWITCHES
from npu_migrate.project.project import Project
from npu_migrate.rules.porting import of_ported_programs, reported, spoken
from npu_migrate.rules.rule import Rule
from npu_migrate.training.porting.features.found import calls_among

CODE = "NPU708"
MESSAGE = (
    "{name}() switches to eager execution: the adapter for TensorFlow 1.15 takes graphs of sessions only"
)


@of_ported_programs
def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per call that switches eager execution on."""
    for one in calls_among(project, EAGER_SWITCHES):
        yield from reported(project, CODE, Severity.ERROR, one.ref, MESSAGE.format(name=spoken(one.name)))


RULE = Rule(
    code=CODE,
    name="eager-or-v2",
    summary="Training in eager execution.",
    severity="error",
    fix="manual",
    sources=("DOC-RESTR", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
