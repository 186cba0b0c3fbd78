"""Where findings are shown: the last token of a called name, or the call from there on."""

from __future__ import annotations

from npu_migrate.index.facts import Attribute, Call, Expr
from npu_migrate.places import Place


def last_token(key: str, func: Expr) -> Place:
    """The last identifier of the called expression `func`, wherever the chain began."""
    line, column, end_line, end_column = func.span
    if isinstance(func, Attribute):
        width = len(func.attr.encode())
        return Place(key, (end_line, end_column - width, end_line, end_column))
    return Place(key, (line, column, end_line, end_column))


def call_from_last_token(key: str, call: Call) -> Place:
    """The call without what stands before the last identifier of its name: ``add()`` of ``a.b.add()``."""
    line, column, _, _ = last_token(key, call.func).span
    return Place(key, (line, column, *call.span[2:]))
