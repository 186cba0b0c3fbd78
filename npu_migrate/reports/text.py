"""The report for people: one finding per block, with its source line and a mark under the place."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import click

from npu_migrate.findings import Applicability, Diagnostic, Report, Severity
from npu_migrate.reports.notebooks import place_for_people, short_place
from npu_migrate.reports.surroundings import Surroundings

_TAB = 4
_MAX_WIDTH = 160
_BEFORE_MARK = 60
_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "blue"}


def text_report(report: Report, _: Surroundings) -> str:
    """The findings as text with ANSI colours; empty when none counts."""
    blocks = ["\n".join(_block(one)) for one in report.counted]
    return "".join(f"{block}\n\n" for block in blocks)


def printable(text: str) -> str:
    """`text` on one line, with a replacement for whatever would control a terminal."""
    return "".join("\N{REPLACEMENT CHARACTER}" if _is_control(one) else one for one in text)


def _block(diagnostic: Diagnostic) -> Iterator[str]:
    start = place_for_people(diagnostic).start
    place = f"{click.style(printable(diagnostic.path), bold=True)}:{short_place(diagnostic)}:"
    label = click.style(diagnostic.severity.label, fg=_COLOURS[diagnostic.severity], bold=True)
    code = click.style(diagnostic.code, bold=True)
    safe = diagnostic.fix is not None and diagnostic.fix.applicability is Applicability.SAFE
    mark = click.style("[*]", fg="cyan") if safe else ""
    yield f"{place} {code}{mark} {label} {printable(diagnostic.message)}"
    number = str(start.line)
    margin = " " * len(number)
    if diagnostic.source_line.strip():
        line, carets = _excerpt(diagnostic)
        yield f"{number} | {line}"
        yield f"{margin} | {click.style(carets, fg=_COLOURS[diagnostic.severity])}"
    for related in diagnostic.related:
        place = f"{printable(related.path)}:{short_place(related)}"
        yield f"{margin} = {place}: {printable(related.message)}"
    if diagnostic.fix is not None:
        kind = "fix" if safe else "unsafe fix"
        yield f"{margin} = {kind}: {printable(diagnostic.fix.title)}"


class _Character(NamedTuple):
    """What is shown for one character, and how many columns of a terminal it takes."""

    text: str
    width: int


def _excerpt(diagnostic: Diagnostic) -> tuple[str, str]:
    """The source line as shown, and the marks below it. A long line is cut around the marks."""
    line = diagnostic.source_line
    cells = list(_cells(line))
    place = place_for_people(diagnostic)
    start, end = place.start, place.end
    first = min(start.column - 1, len(cells))
    last = min(end.column - 1, len(cells)) if end.line == start.line else len(line.rstrip())
    left = _left_edge(cells, first)
    right = left
    width = 0
    while right < len(cells) and width + cells[right].width <= _MAX_WIDTH:
        width += cells[right].width
        right += 1
    before = "…" if left else ""
    shown = before + "".join(cell.text for cell in cells[left:right]) + ("…" if right < len(cells) else "")
    indent = len(before) + _width(cells[left:first])
    return shown.rstrip(), " " * indent + "^" * max(_width(cells[first : min(last, right)]), 1)


def _left_edge(cells: list[_Character], first: int) -> int:
    if _width(cells) <= _MAX_WIDTH:
        return 0
    left, width = first, 0
    while left > 0 and width + cells[left - 1].width <= _BEFORE_MARK:
        left -= 1
        width += cells[left].width
    return left


def _cells(line: str) -> Iterator[_Character]:
    column = 0
    for character in line:
        if character == "\t":
            cell = _Character(" " * (_TAB - column % _TAB), _TAB - column % _TAB)
        elif _is_control(character):
            cell = _Character("\N{REPLACEMENT CHARACTER}", 1)
        elif unicodedata.category(character) in ("Mn", "Me"):
            cell = _Character(character, 0)
        else:
            cell = _Character(character, 2 if unicodedata.east_asian_width(character) in "WF" else 1)
        column += cell.width
        yield cell


def _width(cells: Iterable[_Character]) -> int:
    return sum(cell.width for cell in cells)


def _is_control(character: str) -> bool:
    return not character.isprintable() and unicodedata.category(character) in _UNPRINTABLE
