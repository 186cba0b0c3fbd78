"""Which part of a value goes to which part of a target, as in ``a, (b, c) = value``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from npu_migrate.index.facts import Collection, Expr, Statement, is_starred


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
        behind_star = 0
        for index, item in enumerate(target.items):
            if is_starred(item):
                # What stands in here gets a list of which nobody knows how long it is.
                behind_star = len(target.items)
                continue
            inner = _path_to(item, wanted)
            if inner is not None:
                return (index - behind_star, *inner)
    return None


def leaves(targets: Iterable[Expr | None]) -> Iterator[Expr]:
    """What is stored to in the end: the targets, with those of tuples and behind stars one by one."""
    for target in targets:
        if isinstance(target, Collection):
            yield from leaves(target.items)
        elif is_starred(target):
            yield from leaves(target.parts)
        elif target is not None:
            yield target
