"""The lines of a file around a place, with the place marked."""

from __future__ import annotations

from dataclasses import dataclass

from npu_migrate.places import Position, Range
from npu_migrate.sources.lines import LineIndex

_MOST_LINES = 12
_WIDEST = 300
_BEFORE_MARK = 80


@dataclass(frozen=True, slots=True)
class Line:
    """One line in three parts, of which the middle one is the place. `number` is 1-based."""

    number: int
    before: str
    marked: str | None
    after: str = ""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Consecutive lines. `left_out` counts the lines of a long place that are not among them."""

    lines: tuple[Line, ...]
    left_out: int = 0


def around(lines: LineIndex, place: Range, context: int) -> Excerpt | None:
    """The lines of `place` with up to `context` lines before and after it; None if it is behind the end."""
    if place.start.line > lines.count:
        return None
    last = place.end.line
    if place.end.column == 1 and last > place.start.line:
        last -= 1
    shown = min(last, place.start.line + _MOST_LINES - 1)
    end = min(shown + (context if shown == last else 0), lines.count)
    if end > last and not lines.line(end):
        end -= 1
    numbers = range(max(place.start.line - context, 1), end + 1)
    return Excerpt(tuple(_line(number, lines.line(number), place) for number in numbers), last - shown)


def _line(number: int, text: str, place: Range) -> Line:
    if not place.start.line <= number <= place.end.line:
        return Line(number, shortened(text), None)
    start = place.start.column - 1 if number == place.start.line else _indent(text)
    end = place.end.column - 1 if number == place.end.line else len(text)
    if start >= end and Position(number, start + 1) != place.start:
        return Line(number, shortened(text), None)
    before, marked, after = text[:start], text[start:end], text[end:]
    if len(text) > _WIDEST:
        before = f"…{before[-_BEFORE_MARK:]}" if len(before) > _BEFORE_MARK else before
        marked = shortened(marked)
        after = shortened(after)
    return Line(number, before, marked, after)


def shortened(text: str) -> str:
    """`text`, cut where it is so long that it would only fill the page."""
    return text if len(text) <= _WIDEST else f"{text[:_WIDEST]}…"


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())
