"""
## What it does

Finds `tf.nn.dropout`, for which the NPU has an op of its own.

With `--port` the rule looks at all programs that train and are moved by the same run, or were before: its
op has no kernel for a CPU. Without `--port` it looks at none.

## Why

`tf.nn.dropout` works on the NPU. npu_bridge's op computes it with a mask of bits and is faster. It draws
other random numbers.

## Example

```python
x = tf.nn.dropout(x, rate=0.1)
```

## Use instead

```python
x = npu_ops.dropout(x, keep_prob=0.9)
```

## Fix safety

Unsafe: the random numbers are others, so look at the accuracy. A dropout with a `noise_shape` stays as it
is.

## Sources

OPS; CODE:npu_ops.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Applicability, Finding, Rewrite
from npu_migrate.project.project import Project
from npu_migrate.rules.porting import advised, of_moved_programs, of_ported_programs
from npu_migrate.rules.rule import Rule
from npu_migrate.training.porting.features.operators import dropouts

CODE = "NPU721"
TITLE = "Use the dropout of npu_ops"
MESSAGE = "the NPU has a faster op for this dropout, npu_ops.dropout, which draws other random numbers"


@of_ported_programs
def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per dropout."""
    for one in dropouts(project):
        if not of_moved_programs(project, one.ref):
            continue
        rewrite = Rewrite(Applicability.UNSAFE, TITLE, one.change)
        yield from advised(project, CODE, one.ref, MESSAGE, rewrite=rewrite)


RULE = Rule(
    code=CODE,
    name="dropout",
    summary="Dropout for which the NPU has an op of its own.",
    severity="info",
    fix="unsafe",
    sources=("OPS", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
