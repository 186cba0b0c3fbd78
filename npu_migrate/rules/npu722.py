"""
## What it does

Finds functions of the program that compute the gelu of their argument by TensorFlow's ops, with `tanh` or
with `erf`, in whatever order they say it.

The rule speaks with `--port` only, of programs that train and are moved by the same run, or were before: the
op has no kernel for a CPU.

## Why

The NPU has one op for it, `npu_unary_ops.gelu`, and a dozen for the formula.

## Example

```python
def gelu(x):
    cdf = 0.5 * (1.0 + tf.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * tf.pow(x, 3))))
    return x * cdf
```

## Use instead

```python
def gelu(x):
    return npu_unary_ops.gelu(x)
```

## Fix safety

Unsafe: the op runs on the NPU only, and it rounds differently. It computes the form with `tanh`. A function
with `erf` is another one, by 0.00047 at most, and is only named.

## Sources

CODE:npu_unary_ops.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Applicability, Finding, Rewrite
from npu_migrate.project.project import Project
from npu_migrate.rules.porting import advised, of_moved_programs, of_ported_programs
from npu_migrate.rules.rule import Rule
from npu_migrate.training.porting.features.gelu import gelus

CODE = "NPU722"
TITLE = "Use the gelu of npu_unary_ops"
MESSAGE = "this function computes gelu, for which the NPU has one op, npu_unary_ops.gelu"
OTHER = (
    "this function computes gelu with erf: the NPU's op, npu_unary_ops.gelu, computes the form with tanh, "
    "which differs by up to 0.00047"
)


@of_ported_programs
def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per function."""
    for one in gelus(project):
        if not of_moved_programs(project, one.ref):
            continue
        rewrite = Rewrite(Applicability.UNSAFE, TITLE, one.change) if one.change else None
        message = MESSAGE if one.form == "tanh" else OTHER
        yield from advised(project, CODE, one.ref, message, rewrite=rewrite)


RULE = Rule(
    code=CODE,
    name="gelu",
    summary="A function that computes gelu, for which the NPU has an op.",
    severity="info",
    fix="unsafe; manual for the form with erf",
    sources=("CODE",),
    documentation=__doc__ or "",
    check=check,
)
