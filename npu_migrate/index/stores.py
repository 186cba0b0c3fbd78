"""Which part of a value goes to which part of a target, as in ``a, (b, c) = value``."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import NamedTuple

from npu_migrate.index.facts import (
    Attribute,
    Collection,
    Expr,
    Name,
    Part,
    Statement,
    Subscript,
    is_starred,
    walk,
)
from npu_migrate.index.names import spelled


class Stored(NamedTuple):
    """What a statement stores to a target: what `path` leads to in `value`, or `part` of that.

    `kind` is ``whole``, ``each`` where the value is gone through item by item, and ``added`` where it is
    joined to what was there.
    """

    value: Expr
    path: tuple[int, ...]
    part: Part | None
    kind: str


def stored_value(statement: Statement, target: Expr) -> tuple[Expr, tuple[int, ...]] | None:
    """The value that `target`, somewhere in the statement's targets, gets, and the path into it."""
    found = stored(statement, target)
    if found is None or found.part is not None or found.kind != "whole":
        return None
    return found.value, found.path


def stored(statement: Statement, target: Expr) -> Stored | None:
    """What `target`, somewhere in the statement's targets, gets."""
    pairs: Iterable[tuple[Expr | None, Expr]]
    kind = _KINDS.get(statement.kind)
    if kind is None:
        return None
    if statement.kind in ("With", "AsyncWith"):
        pairs = zip(statement.targets, statement.values, strict=True)
    else:
        pairs = ((item, statement.values[0]) for item in statement.targets)
    for item, value in pairs:
        way = None if item is None else _way_to(item, target)
        if way is not None:
            return Stored(value, *way, kind)
    return None


_KINDS = {
    "Assign": "whole",
    "AnnAssign": "whole",
    "With": "whole",
    "AsyncWith": "whole",
    "For": "each",
    "AsyncFor": "each",
    "AugAssign": "added",
}


def _way_to(target: Expr, wanted: Expr) -> tuple[tuple[int, ...], Part | None] | None:
    """The path to what `wanted` gets, and the part of it if it stands behind a star."""
    if target is wanted:
        return (), None
    if isinstance(target, Collection):
        behind_star = 0
        for index, item in enumerate(target.items):
            if is_starred(item):
                behind_star = len(target.items)
                if item.parts[0] is wanted:
                    return (), Part(index, index + 1 - behind_star or None)
                continue
            inner = _way_to(item, wanted)
            if inner is not None:
                return (index - behind_star, *inner[0]), inner[1]
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


def stored_items(statement: Statement) -> tuple[Subscript, ...]:
    """The items of something, ``x[key]``, that a statement stores to, also in tuples."""
    for target in statement.targets:
        if isinstance(target, (Subscript, Collection)):
            return tuple(one for one in leaves(statement.targets) if isinstance(one, Subscript))
    return ()


def stored_texts(targets: Iterable[Expr | None]) -> Iterator[str]:
    """The names and chains of attributes that are stored to in the end, as they are written."""
    for target in leaves(targets):
        text = spelled(target)
        if text is not None:
            yield text


def reads_one_of(expr: Expr, texts: Container[str]) -> bool:
    """Whether an expression reads a name or chain of attributes that is written so."""
    return any(isinstance(part, (Name, Attribute)) and spelled(part) in texts for part in walk(expr))
