"""
## What it does

Says that a file is not valid Python 3, with the message and position of the Python that runs npu-migrate. A
notebook with one such cell is not analysed at all: the other cells may use what it defines.

In a folder only files are parsed that mention something a rule looks for, or belong to a program with such a
file. A file that you name on the command line is parsed in any case.

## Why

A file that cannot be parsed is not searched: findings may be hidden in it. The other files are still done.

## Example

```python
print "step", step
```

## Use instead

```python
print("step", step)
```

## Fix safety

There is no edit: convert the file to Python 3 first. Nothing is ever written to such a file.

## Sources

None: this code is about the tool itself.
"""

from __future__ import annotations

from npu_migrate.rules.rule import Rule

RULE = Rule(
    code="NPU901",
    name="syntax-error",
    summary="The file is not valid Python 3.",
    severity="error",
    fix="manual",
    sources=(),
    documentation=__doc__ or "",
)
