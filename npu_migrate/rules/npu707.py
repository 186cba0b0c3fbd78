"""
## What it does

Finds programs that train a model of the package `keras`, which is not a part of TensorFlow.

With `--port` the rule looks at all programs that train, without it at those in which a config has the
`NpuOptimizer` entry already.

## Why

Only `tf.keras` is supported on the NPU. The two are no aliases: Keras 2.x has other defaults, other saved
weights and a session of its own.

## Example

```python
from keras.models import Sequential

model = Sequential()
model.fit(x, y)
```

## Use instead

Port the model to `tf.keras`, compare its results on the CPU with those that it had, and run npu-migrate
again.

## Fix safety

There is no fix: an exchange of the import would change results without a word.

## Sources

DOC-PORT.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Finding, Severity
from npu_migrate.project.project import Project
from npu_migrate.rules.porting import of_ported_programs, reported
from npu_migrate.rules.rule import Rule
from npu_migrate.training.porting.keras import keras_trainings

CODE = "NPU707"
MESSAGE = "this trains a model of the package keras: the NPU supports tf.keras only; the two are not the same"


@of_ported_programs
def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per call that trains a native Keras model."""
    for one in keras_trainings(project):
        if one.native:
            yield from reported(project, CODE, Severity.ERROR, one.call, MESSAGE)


RULE = Rule(
    code=CODE,
    name="native-keras",
    summary="Training with the package keras instead of tf.keras.",
    severity="error",
    fix="manual",
    sources=("DOC-PORT",),
    documentation=__doc__ or "",
    check=check,
)
