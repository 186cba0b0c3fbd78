"""
## What it does

Finds `TF_DETERMINISTIC_OPS`, `TF_CUDNN_DETERMINISTIC` and the package `tfdeterminism`.

With `--port` the rule looks at all programs that train, without it at none.

## Why

They make kernels of a GPU give the same result every time. On the NPU the key `deterministic` does so, in
npu_bridge 1.12 and later.

## Example

```python
os.environ["TF_DETERMINISTIC_OPS"] = "1"
```

## Use instead

```python
os.environ["TF_DETERMINISTIC_OPS"] = "1"
custom_op.parameter_map["deterministic"].i = 1
```

## Fix safety

Unsafe: it costs time, and older versions do not know the key.

The fix is offered when the program has been moved: with `--port` there is none, because the move itself is
safe.

## Sources

CODE:npu_attrs.cc.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Applicability, Finding, Rewrite
from npu_migrate.project.project import Project
from npu_migrate.rules.porting import advised, of_ported_programs
from npu_migrate.rules.rule import Rule
from npu_migrate.training.porting.features.precision import determinism
from npu_migrate.training.porting.parameters import parameter_insertion

CODE = "NPU736"
TITLE = "Ask the NPU for deterministic results"
MESSAGE = (
    "{name} asks a GPU for deterministic results: on the NPU that is the key deterministic of the config"
)


@of_ported_programs
def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per switch in a program whose config does not say the same."""
    for one in determinism(project):
        intents = parameter_insertion(project, one.ref.key, "deterministic", "i", "1")
        if intents is None:
            continue
        offered = intents and not project.options.port
        rewrite = Rewrite(Applicability.UNSAFE, TITLE, intents) if offered else None
        message = MESSAGE.format(name=one.name)
        yield from advised(project, CODE, one.ref, message, rewrite=rewrite, whole=True)


RULE = Rule(
    code=CODE,
    name="gpu-determinism",
    summary="A switch for deterministic results on a GPU.",
    severity="info",
    fix="unsafe",
    sources=("CODE",),
    documentation=__doc__ or "",
    check=check,
)
