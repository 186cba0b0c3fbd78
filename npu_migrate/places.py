"""Where something stands: in the coordinates of ``ast``, in those that people count, and in lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

Span = tuple[int, int, int, int]
"""``ast`` coordinates: first line, first column, last line, column behind the end.

Lines are 1-based; columns are 0-based and count UTF-8 bytes, as ``ast`` counts them.
"""


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of one file in ``ast`` coordinates; `path` is the file's key in the project."""

    path: str
    span: Span


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A point in a text: 1-based line, 1-based column in Unicode code points (a BOM is not counted)."""

    line: int
    column: int


@dataclass(frozen=True, slots=True, order=True)
class Range:
    """From `start` up to, not including, `end`; an empty range is an insertion point."""

    start: Position
    end: Position


@dataclass(frozen=True, slots=True)
class CellPlace:
    """Where something lies in a notebook: the 1-based number of its cell, and its range in that cell's text.

    Cells of all kinds are counted.
    """

    number: int
    range: Range


class LineSpan(NamedTuple):
    """Lines from `first` to `last`, 1-based, both included; they end at ``\\n`` only, as Git counts them."""

    first: int
    last: int
