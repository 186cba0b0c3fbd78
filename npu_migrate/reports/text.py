"""The reports for people: findings with their source lines and marks under the places, or one line each."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import click

from npu_migrate.findings import Applicability, Diagnostic, Report, Severity
from npu_migrate.languages.saying import Say, english
from npu_migrate.reports.characters import character_width
from npu_migrate.reports.notebooks import place_for_people, short_place
from npu_migrate.reports.surroundings import Surroundings

_TAB = 4
_MAX_WIDTH = 160
_BEFORE_MARK = 60
_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "blue"}


def text_report(report: Report, surroundings: Surroundings) -> str:
    """The findings as text with ANSI colours; empty when none counts."""
    return "".join(f"{block_of(one, surroundings.say)}\n\n" for one in report.counted)


def concise_report(report: Report, surroundings: Surroundings) -> str:
    """The findings that count, one on each line, with ANSI colours; empty when none counts."""
    return "".join(f"{headline(one, surroundings.say)}\n" for one in report.counted)


def block_of(diagnostic: Diagnostic, say: Say = english) -> str:
    """All that is shown of one finding, without a line end behind it."""
    return "\n".join((headline(diagnostic, say), *details(diagnostic, say)))


def printable(text: str) -> str:
    """`text` on one line, with a replacement for whatever would control a terminal."""
    return "".join("\N{REPLACEMENT CHARACTER}" if _is_control(one) else one for one in text)


def headline(diagnostic: Diagnostic, say: Say = english) -> str:
    """The place, the code, ``[*]`` if its fix is safe, the severity and the message, on one line."""
    mark = click.style("[*]", fg="cyan") if has_safe_fix(diagnostic) else ""
    code = click.style(diagnostic.code, bold=True)
    return (
        f"{place_of(diagnostic)}: {code}{mark} {severity_of(diagnostic, say)} {printable(diagnostic.message)}"
    )


def place_of(diagnostic: Diagnostic) -> str:
    """The path and the place in it, as ``train.py:12:5``."""
    return f"{click.style(printable(diagnostic.path), bold=True)}:{short_place(diagnostic)}"


def severity_of(diagnostic: Diagnostic, say: Say = english) -> str:
    """The word for the severity, in its colour."""
    return click.style(say(diagnostic.severity.label), fg=_COLOURS[diagnostic.severity], bold=True)


def has_safe_fix(diagnostic: Diagnostic) -> bool:
    """Whether ``--write`` mends it: what ``[*]`` stands for."""
    return diagnostic.fix is not None and diagnostic.fix.applicability is Applicability.SAFE


def details(diagnostic: Diagnostic, say: Say = english) -> Iterator[str]:
    """The lines below the headline: the source line with a mark, related places, the fix."""
    number = str(place_for_people(diagnostic).start.line)
    margin = " " * len(number)
    if diagnostic.source_line.strip():
        line, carets = _excerpt(diagnostic)
        yield f"{number} | {line}"
        yield f"{margin} | {click.style(carets, fg=_COLOURS[diagnostic.severity])}"
    for related in diagnostic.related:
        place = f"{printable(related.path)}:{short_place(related)}"
        yield f"{margin} = {place}: {printable(related.message)}"
    if diagnostic.fix is not None:
        kind = say("fix") if has_safe_fix(diagnostic) else say("unsafe fix")
        yield f"{margin} = {say.headed(kind, printable(diagnostic.fix.title))}"


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
        else:
            cell = _Character(character, character_width(character))
        column += cell.width
        yield cell


def _width(cells: Iterable[_Character]) -> int:
    return sum(cell.width for cell in cells)


def _is_control(character: str) -> bool:
    return not character.isprintable() and unicodedata.category(character) in _UNPRINTABLE
