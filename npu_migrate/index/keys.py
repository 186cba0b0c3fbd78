"""What is taken out of a value: indices and keys of its items, fields, and parts of sequences.

Keys are in the order in which they are taken out, the first one out of the value itself.
"""

from __future__ import annotations

from npu_migrate.index.facts import Constant, Expr, Operation, Other, Part, is_starred

ANY = "*"
"""The key of an element that is not known: what a loop takes out of a list."""

UNKNOWN_PART = Part()
"""The key of some items of a sequence, nobody knows which."""


def taken_out(item: Expr, keys: tuple[object, ...]) -> tuple[object, ...]:
    """What leads to a value that `keys` take out of ``x[item]``."""
    if isinstance(item, Constant):
        return (item.value, *keys)
    if not isinstance(item, Other) or not item.kind.startswith("Slice"):
        return (ANY, *keys)
    if item.kind == "Slice!":
        return keys
    bounds = dict(zip(item.kind.partition("!")[2], map(_number, item.parts), strict=True))
    start, stop = bounds.get("l", 0), bounds.get("u")
    if "s" in bounds or start is None or ("u" in bounds and stop is None):
        return of_part(UNKNOWN_PART, keys)
    return of_part(Part(start, stop), keys)


def _number(bound: Expr) -> int | None:
    """The number that one end of a slice is; None for anything but a literal."""
    if isinstance(bound, Operation) and bound.operator == "USub":
        inner = _number(bound.operands[0])
        return None if inner is None else -inner
    return bound.value if isinstance(bound, Constant) and isinstance(bound.value, int) else None


def of_part(part: Part, keys: tuple[object, ...]) -> tuple[object, ...]:
    """What leads to a value that `keys` take out of a part of a sequence: the index is counted in the whole.

    A part of a part is one that is not known, so that a part is always the last key.
    """
    if not keys:
        return (part,)
    first = keys[0]
    if isinstance(first, Part):
        return (UNKNOWN_PART,)
    return (_counted_in_whole(part, first), *keys[1:])


def _counted_in_whole(part: Part, index: object) -> object:
    if not isinstance(index, int) or part.start is None:
        return ANY
    if index < 0:
        counted = index if part.stop is None else part.stop + index
        return counted if part.stop is None or part.stop < 0 else ANY
    counted = part.start + index
    return counted if part.start >= 0 or counted < 0 else ANY


def part_of(items: tuple[Expr, ...], part: Part) -> tuple[Expr, ...]:
    """The items that are a part of a display; all of them where that cannot be told."""
    return items if part.start is None or any(map(is_starred, items)) else items[part.start : part.stop]


def anywhere(keys: tuple[object, ...]) -> tuple[object, ...]:
    """The same keys where nobody knows at which place of a sequence it is."""
    return () if not keys or isinstance(keys[0], Part) else (ANY, *keys[1:])
