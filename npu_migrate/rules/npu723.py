"""
## What it does

Finds `tf.keras.layers.CuDNNLSTM`, `CuDNNGRU` and the layers of `tf.contrib.cudnn_rnn`, but
for the cells that compute the same without CuDNN, such as `CudnnCompatibleLSTMCell`.

With `--port` the rule looks at all programs that train, without it at those in which a config has the
`NpuOptimizer` entry already.

## Why

They have kernels for GPUs only.

## Example

```python
layer = tf.keras.layers.CuDNNLSTM(64)
```

## Use instead

```python
layer = tf.keras.layers.LSTM(64, recurrent_activation='sigmoid')
```

## Fix safety

Unsafe: the general layers compute the same with these arguments, but their weights have other shapes in
checkpoints. No edit where more than the number of units is given by position. `tf.contrib.cudnn_rnn` packs
its parameters into one variable and is left to you.

## Sources

DOC-RESTR; `tf.keras.layers` of TensorFlow 1.15 [TF].
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Applicability, Finding, Rewrite, Severity
from npu_migrate.project.project import Project
from npu_migrate.rules.porting import of_ported_programs, reported, spoken
from npu_migrate.rules.rule import Rule
from npu_migrate.training.porting.features.operators import cudnn_layers

CODE = "NPU723"
TITLE = "Use the layer that runs everywhere"
MESSAGE = "{name} has a kernel for GPUs only"


@of_ported_programs
def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per layer."""
    for one in cudnn_layers(project):
        rewrite = Rewrite(Applicability.UNSAFE, TITLE, one.change) if one.change else None
        message = MESSAGE.format(name=spoken(one.name))
        yield from reported(project, CODE, Severity.ERROR, one.ref, message, rewrite)


RULE = Rule(
    code=CODE,
    name="cudnn-layer",
    summary="A layer that only a GPU has.",
    severity="error",
    fix="unsafe, or manual for tf.contrib.cudnn_rnn",
    sources=("DOC-RESTR",),
    documentation=__doc__ or "",
    check=check,
)
