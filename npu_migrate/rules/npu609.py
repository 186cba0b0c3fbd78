"""
## What it does

Finds options that the documents call deprecated, that have no effect any more, or that later releases do not
have.

## Why

They still work, or at least do no harm, and later releases will drop them. `auto_tune_mode` is gone from
`NPURunConfig` since r1.11, which raises `TypeError`: that is NPU611.

`enable_data_pre_proc` is deprecated too, but `iterations_per_loop` > 1 needs it: no finding.

## Example

```python
custom_op.parameter_map["op_select_implmode"].s = tf.compat.as_bytes("high_precision")
```

## Use instead

```python
custom_op.parameter_map["op_precision_mode"].s = tf.compat.as_bytes("op_precision.ini")
```

## Fix safety

No edit: what stands in the place of an option takes other values.

## Sources

API:session_config; CODE:npu_config.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Finding, Severity
from npu_migrate.knowledge import npu
from npu_migrate.knowledge.releases import has_certainly
from npu_migrate.knowledge.session_keys import FORMER_KEYS
from npu_migrate.project.project import Project
from npu_migrate.rules.options import key_place, name_place, plain_finding, session_writes, set_options
from npu_migrate.rules.rule import Rule
from npu_migrate.training.npu.options.configurations import value_of

CODE = "NPU609"
DEPRECATED = "{name} is deprecated"
WITHOUT_EFFECT = "{name} has no effect any more"
GONE = "{name} is not known since {until}"
INSTEAD = "{said}: use {replacement}"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per option of former times."""
    for configuration, option, key in set_options(project):
        value = value_of(project, configuration, option, None)
        unset = option.write is None and value.every(lambda one: one is None)
        if key.state == "current" or option.name == npu.DATA_PRE_PROC or unset:
            continue
        said = (DEPRECATED if key.state == "deprecated" else WITHOUT_EFFECT).format(name=option.name)
        message = said if key.replacement is None else INSTEAD.format(said=said, replacement=key.replacement)
        yield from plain_finding(project, CODE, Severity.INFO, message, name_place(project, option))
    for write in session_writes(project):
        former = FORMER_KEYS.get(write.key or "")
        if former is None or former.until is None or has_certainly(project.options.cann, former.until):
            continue
        said = GONE.format(name=write.key, until=former.until)
        message = INSTEAD.format(said=said, replacement=former.replacement)
        yield from plain_finding(project, CODE, Severity.INFO, message, key_place(project, write))


RULE = Rule(
    code=CODE,
    name="deprecated",
    summary="An option that is deprecated, without effect, or not in later releases.",
    severity="info",
    fix="manual",
    sources=("API:session_config", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
