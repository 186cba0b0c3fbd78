"""Which part of a value goes to which part of a target, as in ``a, (b, c) = value``."""

from __future__ import annotations

from collections.abc import Iterable

from npu_migrate.index.facts import Collection, Expr, Statement


def stored_value(statement: Statement, target: Expr) -> tuple[Expr, tuple[int, ...]] | None:
    """The value that `target`, somewhere in the statement's targets, gets, and the path into it."""
    pairs: Iterable[tuple[Expr | None, Expr]]
    if statement.kind in ("With", "AsyncWith"):
        pairs = zip(statement.targets, statement.values, strict=True)
    elif statement.kind in ("Assign", "AnnAssign"):
        pairs = ((item, statement.values[0]) for item in statement.targets)
    else:
        return None
    for item, value in pairs:
        path = None if item is None else _path_to(item, target)
        if path is not None:
            return value, path
    return None


def _path_to(target: Expr, wanted: Expr) -> tuple[int, ...] | None:
    if target is wanted:
        return ()
    if isinstance(target, Collection):
        for index, item in enumerate(target.items):
            inner = _path_to(item, wanted)
            if inner is not None:
                return (index, *inner)
    return None
