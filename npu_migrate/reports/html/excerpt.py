"""The lines of a file around a place, with the place marked."""

from __future__ import annotations

from dataclasses import dataclass

from npu_migrate.findings import Diagnostic, Position, Range, RelatedRange
from npu_migrate.sources.source import Source

_AROUND = 2
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


def of_diagnostic(diagnostic: Diagnostic, source: Source | None) -> Excerpt | None:
    """The code of a finding; `source` is its file. None where there is no line to show.

    In a notebook, whose file is JSON, it is the one line that the diagnostic knows.
    """
    if diagnostic.cell is None and source is not None:
        return around(source, diagnostic.range, _AROUND)
    if not diagnostic.source_line.strip():
        return None
    place = diagnostic.range if diagnostic.cell is None else diagnostic.cell.range
    return Excerpt((_line(place.start.line, diagnostic.source_line, place),))


def of_related(related: RelatedRange, source: Source | None) -> Excerpt | None:
    """The lines of a related place and nothing around them. None in a notebook, whose file is JSON."""
    if related.cell is not None or source is None:
        return None
    return around(source, related.range, 0)


def around(source: Source, place: Range, context: int) -> Excerpt:
    """The lines of `place` with up to `context` lines before and after it."""
    lines = source.lines
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
