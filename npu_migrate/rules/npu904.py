"""
## What it does

Finds `# npu-migrate: ignore[...]` comments that suppress no finding, for codes that ran, and comments that
can suppress nothing, because a word or a code in them is misspelt.

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

Safe where only the comment goes, or some of its codes: other comments on its line stay, and so do the reason
and the codes that are needed.

Unsafe where words are lost with it: the reason behind a comment of which no code is needed, or a comment that
is misspelt and was meant for something. Unsafe too where a file of the project could not be analysed, or
where the text came without a file name: what the comment is for may be found with the other files.

Unsafe as well for most codes that `npu-rehearse` can give, and for a comment without codes: a run may show
what the text does not, and the comment may be there for that. Codes that only a rehearsal can give are never
called unused.

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
    fix="safe, or unsafe where something may be lost",
    sources=(),
    documentation=__doc__ or "",
)
