"""
## What it does

Says that a file could not be read as text: its bytes do not match the declared encoding (UTF-8 if none is
declared), it contains NUL bytes, or the system refused to open it. The same goes for a notebook whose JSON is
damaged or cut off, or that is in the format from before 2015: a current Jupyter converts it when it saves it.

## Why

A file that cannot be decoded is not searched: findings may be hidden in it. The other files are still done.

## Example

A script saved as GBK without a declaration on its first or second line.

## Use instead

```python
# -*- coding: gbk -*-
```

or save the file as UTF-8.

## Fix safety

There is no edit. Nothing is ever written to such a file.

## Sources

None: this code is about the tool itself.
"""

from __future__ import annotations

from npu_migrate.rules.rule import Rule

RULE = Rule(
    code="NPU902",
    name="undecodable-file",
    summary="The bytes of the file do not match its encoding.",
    severity="error",
    fix="manual",
    sources=(),
    documentation=__doc__ or "",
)
