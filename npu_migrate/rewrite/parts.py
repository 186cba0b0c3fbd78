"""What intents are compiled to: small changes that can still be joined with those of other intents.

Finished edits of one place cannot be joined (each of two keywords for ``f()`` would have to know whether
it is the first), so intents become parts, and `npu_migrate.rewrite.joining` makes edits of all of them.
"""

from __future__ import annotations

import enum
from typing import NamedTuple

from npu_migrate.places import Span


class Slot(enum.IntEnum):
    """The order of insertions at one offset: what ends there, then lines, then what begins there."""

    SUFFIX = enum.auto()
    ITEM = enum.auto()
    INLINE_AFTER = enum.auto()
    IMPORT_AFTER = enum.auto()
    LINE_AFTER = enum.auto()
    IMPORT_BEFORE = enum.auto()
    LINE_BEFORE = enum.auto()
    INLINE_BEFORE = enum.auto()
    BINDING = enum.auto()
    PREFIX = enum.auto()


class Order(NamedTuple):
    """The place of an insertion among others at the same offset; smaller comes first.

    `nesting` puts the ends of inner nodes before those of outer ones, and the beginnings behind.
    """

    slot: Slot
    nesting: int = 0
    rank: int = 0


class Insert(NamedTuple):
    """Put `text` at an offset, before whatever replaces the text that begins there."""

    offset: int
    order: Order
    text: str


class Replace(NamedTuple):
    """Replace a range, which is not empty, by `text`."""

    start: int
    end: int
    text: str


class AddItem(NamedTuple):
    """Add `text` behind the last argument of the call at `span`.

    `start` is where its change begins, `end` that of the call: the closing bracket must stay.
    """

    span: Span
    start: int
    end: int
    text: str


class Claim(NamedTuple):
    """Changes nothing; two claims on one subject agree only if their values are equal."""

    subject: tuple[str | int, ...]
    value: tuple[object, ...]


Part = Insert | Replace | AddItem | Claim


def changes(part: Part) -> bool:
    """Whether a part does something to the text."""
    return not isinstance(part, Claim)
