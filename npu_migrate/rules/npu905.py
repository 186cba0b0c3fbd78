"""
## What it does

Says that the fix of a finding was dropped: the result would not compile, a comment would be lost, two fixes
contradict each other, or repeated passes did not settle. In a notebook also: the fix would change two cells
at once, or a line with a magic. The message gives the reason.

## Why

A fix is applied completely or not at all. Nothing is written for it.

## Example

A chained call with a comment between its links: removing the links would lose the comment.

## Use instead

Move the comment and run again, or make the change by hand.

## Fix safety

There is no edit.

## Sources

None: this code is about the tool itself.
"""

from __future__ import annotations

from npu_migrate.rules.rule import Rule

RULE = Rule(
    code="NPU905",
    name="fix-not-applied",
    summary="A fix that could not be applied without breaking the file.",
    severity="warning",
    fix="manual",
    sources=(),
    documentation=__doc__ or "",
)
