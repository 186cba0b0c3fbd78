"""The statements at the top level of a text, in stretches that can be read and checked each by itself.

A module is a sequence of statements, and where one begins in the first column of a line, outside everything
else, the text can be cut. Of a long script a few statements are changed, and only these need be looked into.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from npu_migrate.rewrite.edits import OffsetEdit
from npu_migrate.sources.lines import LineIndex


class Section(NamedTuple):
    """Whole lines, from the offset `start` up to `end`, with the statements that they hold.

    Comments and blank lines in front of a statement belong to the section before.
    """

    start: int
    end: int
    statements: tuple[ast.stmt, ...]


class Stretch(NamedTuple):
    """Neighbouring sections, from `start` up to `end`, and all edits on them."""

    start: int
    end: int
    edits: tuple[OffsetEdit, ...]


def sections_of(text: str, body: Sequence[ast.stmt], lines: LineIndex) -> tuple[Section, ...]:
    """The sections of a text that consists of the statements `body`; together they are the whole text."""
    starts = [0]
    held: list[list[ast.stmt]] = [[]]
    for statement in body:
        start = _cut_before(text, statement, lines)
        if start is not None and held[-1] and start > starts[-1] and _ends_before(held[-1][-1], statement):
            starts.append(start)
            held.append([])
        held[-1].append(statement)
    ends = [*starts[1:], len(text)]
    return tuple(
        Section(start, end, tuple(some)) for start, end, some in zip(starts, ends, held, strict=True)
    )


def section_at(sections: Sequence[Section], offset: int) -> int:
    """The number of the section that holds what begins at `offset`."""
    return bisect_right(sections, offset, key=lambda section: section.start) - 1


def changed_stretches(sections: Sequence[Section], edits: Iterable[OffsetEdit]) -> Iterator[Stretch]:
    """The stretches that `edits`, none of which overlap, change."""
    first, last, some = 0, -1, list[OffsetEdit]()
    for edit in sorted(edits):
        begins = section_at(sections, edit.start)
        if some and begins > last:
            yield Stretch(sections[first].start, sections[last].end, tuple(some))
            some = []
        first = first if some else begins
        last = max(begins, section_at(sections, max(edit.end - 1, edit.start)))
        some.append(edit)
    if some:
        yield Stretch(sections[first].start, sections[last].end, tuple(some))


def _cut_before(text: str, statement: ast.stmt, lines: LineIndex) -> int | None:
    """The offset before `statement` and its decorators, if it begins in the first column of its own line."""
    start = lines.bounds(_first_line(statement))[0]
    if _decorators(statement):
        if not text.startswith("@", start):
            return None
    elif statement.col_offset:
        return None
    # What stands behind a backslash belongs to the line before, even if that is empty.
    return None if text[max(start - 3, 0) : start].rstrip("\r\n").endswith("\\") else start


def _ends_before(statement: ast.stmt, later: ast.stmt) -> bool:
    last = statement.end_lineno or statement.lineno
    return last < _first_line(later)


def _first_line(statement: ast.stmt) -> int:
    return min([statement.lineno, *(one.lineno for one in _decorators(statement))])


def _decorators(statement: ast.stmt) -> Sequence[ast.expr]:
    found: Sequence[ast.expr] = getattr(statement, "decorator_list", ())
    return found
