"""
## What it does

Finds custom optimizers in a session config whose name is nearly `NpuOptimizer`, and that carry keys of the
NPU.

## Why

The runtime looks for the name `NpuOptimizer`, letter by letter. TensorFlow ignores a custom optimizer that it
does not know, so all keys of such an entry are ignored together.

## Example

```python
custom_op.name = "Npuoptimizer"
custom_op.parameter_map["use_off_line"].b = True
```

## Use instead

```python
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["use_off_line"].b = True
```

## Fix safety

Safe: the entry says what it wants, and only the NPU reads it.

## Sources

CODE:npu_attrs.cc.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Applicability, Finding, Rewrite, Severity
from npu_migrate.index.facts import Call, argument
from npu_migrate.knowledge import npu
from npu_migrate.knowledge.session_keys import SESSION_KEYS
from npu_migrate.knowledge.spelling import similar
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.options import plain_finding, replaced_literal
from npu_migrate.rules.rule import Rule
from npu_migrate.semantics.values.evaluation import evaluate
from npu_migrate.training.npu.configs import CustomOptimizer, custom_optimizers, parameter_writes

CODE = "NPU608"
TITLE = "Write NpuOptimizer"
MESSAGE = "the NPU looks for the name NpuOptimizer; an entry called {name} is ignored, with all its keys"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per name that is nearly the right one."""
    for one in custom_optimizers(project):
        keys = {write.key for write in parameter_writes(project, one.entry)}
        if keys.isdisjoint(SESSION_KEYS) or one.is_called(npu.OPTIMIZER_NAME):
            continue
        for named in _named(one):
            name = evaluate(project, named).only
            if name is not None and _is_meant(name.constant):
                intent = replaced_literal(project, named, npu.OPTIMIZER_NAME)
                rewrite = None if intent is None else Rewrite(Applicability.SAFE, TITLE, (intent,))
                message = MESSAGE.format(name=_text(name.constant))
                yield from plain_finding(project, CODE, Severity.ERROR, message, named.place, rewrite)


def _named(one: CustomOptimizer) -> Iterator[Ref]:
    yield from one.entry.named
    assert isinstance(one.entry.added.expr, Call)
    given = argument(one.entry.added.expr, "name")
    if given is not None:
        yield one.entry.added._replace(expr=given)


def _is_meant(name: object) -> bool:
    text = _text(name)
    if text == npu.OPTIMIZER_NAME:
        return False
    return text.lower() == npu.OPTIMIZER_NAME.lower() or similar(text, [npu.OPTIMIZER_NAME]) is not None


def _text(name: object) -> str:
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name)


RULE = Rule(
    code=CODE,
    name="entry-name",
    summary="A custom optimizer whose name is nearly NpuOptimizer.",
    severity="error",
    fix="safe",
    sources=("CODE",),
    documentation=__doc__ or "",
    check=check,
)
