"""
## What it does

Finds `# npu-migrate: ignore[...]` comments that suppress no finding, for codes that ran.

## Why

A comment that suppresses nothing hides the next real finding on its line.

## Example

```python
iterator = dataset.make_initializable_iterator()  # npu-migrate: ignore[NPU101]
```

## Use instead

```python
iterator = dataset.make_initializable_iterator()
```

## Fix safety

There is no edit: remove the comment, or the code from its list.

## Sources

None: this code is about the tool itself.
"""

from __future__ import annotations

from npu_migrate.rules.rule import Rule

RULE = Rule(
    code="NPU904",
    name="unused-suppression",
    summary="A suppression comment that suppresses nothing.",
    severity="info",
    fix="manual",
    sources=(),
    documentation=__doc__ or "",
)
