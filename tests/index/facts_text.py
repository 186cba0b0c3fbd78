"""Facts as text, so that a test shows what is known of a piece of code."""

from __future__ import annotations

import dataclasses
from typing import Any

from npu_migrate.index.build import build_facts
from npu_migrate.index.facts import Expr, FileFacts


def facts_of(code: str) -> FileFacts:
    return build_facts("train.py", code)


def said(value: Any) -> str:
    """A value without its places: ``Call(Name('f'), [Constant(1)], [])``."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = [getattr(value, field.name) for field in dataclasses.fields(value) if field.name != "span"]
        return f"{type(value).__name__}({', '.join(map(said, parts))})"
    if isinstance(value, tuple):
        return f"[{', '.join(map(said, value))}]"
    return repr(value)


def text_at(code: str, expr: Expr) -> str:
    """The text that the place of an expression covers; a text of one line."""
    _, start, _, end = expr.span
    return code.encode()[start:end].decode()


def bound(facts: FileFacts) -> list[str]:
    """Each binding as ``scope name kind value path``; the value and the path where there are any."""
    return [
        " ".join(
            [
                scope.name or scope.kind,
                name,
                binding.kind,
                *([] if binding.value is None else [said(binding.value)]),
                *([str(list(binding.path))] if binding.path else []),
            ]
        )
        for scope, name, binding in facts.bindings()
    ]


def outline(facts: FileFacts) -> list[str]:
    """Each statement as ``number kind parent.block.position: targets = values``."""
    return [
        f"{one.id} {one.kind} {one.parent}.{one.block}.{one.position}"
        + (f": {said(one.targets)} = {said(one.values)}" if one.targets or one.values else "")
        for one in facts.statements
    ]
