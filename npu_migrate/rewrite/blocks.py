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


class Block(NamedTuple):
    """Whole lines, from the offset `start` up to `end`, with the statements that they hold.

    Comments and blank lines in front of a statement belong to the block before.
    """

    start: int
    end: int
    statements: tuple[ast.stmt, ...]


class Stretch(NamedTuple):
    """Neighbouring blocks, from `start` up to `end`, and all edits on them."""

    start: int
    end: int
    edits: tuple[OffsetEdit, ...]


def blocks_of(text: str, body: Sequence[ast.stmt], lines: LineIndex) -> tuple[Block, ...]:
    """The blocks of a text that consists of the statements `body`; together they are the whole text."""
    starts = [0]
    held: list[list[ast.stmt]] = [[]]
    for statement in body:
        start = _cut_before(text, statement, lines)
        if start is not None and held[-1] and start > starts[-1] and _ends_before(held[-1][-1], statement):
            starts.append(start)
            held.append([])
        held[-1].append(statement)
    ends = [*starts[1:], len(text)]
    return tuple(Block(start, end, tuple(some)) for start, end, some in zip(starts, ends, held, strict=True))


def block_at(blocks: Sequence[Block], offset: int) -> int:
    """The number of the block that holds what begins at `offset`."""
    return bisect_right(blocks, offset, key=lambda block: block.start) - 1


def changed_stretches(blocks: Sequence[Block], edits: Iterable[OffsetEdit]) -> Iterator[Stretch]:
    """The stretches that `edits`, none of which overlap, change."""
    first, last, some = 0, -1, list[OffsetEdit]()
    for edit in sorted(edits):
        begins = block_at(blocks, edit.start)
        if some and begins > last:
            yield Stretch(blocks[first].start, blocks[last].end, tuple(some))
            some = []
        first = first if some else begins
        last = max(begins, block_at(blocks, max(edit.end - 1, edit.start)))
        some.append(edit)
    if some:
        yield Stretch(blocks[first].start, blocks[last].end, tuple(some))


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
