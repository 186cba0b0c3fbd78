"""The code cells of a notebook as one Python text, and the way back from that text to the cells.

The cells stand in it in their order, each behind the other's newline, as if they were run from top to
bottom. What is IPython and not Python is covered by text of the same length (see `magics`), so an offset
into the text is an offset into a cell, without any shift. Where the cells come from does not matter here: a
file, or an editor.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from npu_migrate.places import CellPlace, Position, Range
from npu_migrate.sources.lines import LineIndex
from npu_migrate.sources.magics import covered, covers

_SEPARATOR = "\n"


class UneditableCells(Exception):
    """An edit does not fit into one cell, or changes what is no Python; the text says which."""


class Cell(NamedTuple):
    """A code cell: its 1-based number among all cells of the notebook, of whatever kind, and its text."""

    number: int
    text: str


class CellEdit(NamedTuple):
    """Replace `start` to `end` of the text of a code cell; `cell` is its 0-based index among the code cells.

    `leads`: it stands before everything else that is inserted at the start of the cell.
    """

    cell: int
    start: int
    end: int
    text: str
    leads: bool = False


@dataclass(frozen=True)
class JoinedCells:
    """The code cells of one notebook, joined.

    `text` is plain Python and `written` the same as it was written, equally long. `starts` are the offsets
    at which the cells begin. `hidden` are the stretches that are covered, as offsets; one before which
    nothing may stand begins with the newline before its cell. `unseen` are those of them that may be Python
    which runs elsewhere.
    """

    cells: tuple[Cell, ...]
    text: str
    written: str
    starts: tuple[int, ...]
    hidden: tuple[tuple[int, int], ...]
    unseen: tuple[tuple[int, int], ...] = ()

    @cached_property
    def lines(self) -> LineIndex:
        """The line index of both texts."""
        return LineIndex(self.written)

    @property
    def python(self) -> tuple[str, ...]:
        """The texts of the cells as plain Python."""
        return tuple(
            self.text[start : start + len(cell.text)]
            for start, cell in zip(self.starts, self.cells, strict=True)
        )

    def index_at(self, offset: int) -> int:
        """Which code cell holds `offset`; the newline behind a cell counts as its end."""
        return max(bisect_right(self.starts, offset) - 1, 0)

    def bounds(self, index: int) -> tuple[int, int]:
        """The offsets at which a code cell begins and ends."""
        return self.starts[index], self.starts[index] + len(self.cells[index].text)

    def place(self, start: int, end: int) -> CellPlace:
        """Where a stretch of the text stands; one that leaves its cell is cut off."""
        index = self.index_at(start)
        cell_start, cell_end = self.bounds(index)
        before = self.lines.position(cell_start).line - 1
        places = (self.lines.position(min(one, cell_end)) for one in (start, max(start, end)))
        first, last = (Position(one.line - before, one.column) for one in places)
        return CellPlace(self.cells[index].number, Range(first, last))

    def cell_edit(self, start: int, end: int, text: str) -> CellEdit:
        """The edit of one cell that replaces `start` to `end` of the joined text by `text`.

        Two edits that do not overlap become two that do not overlap. Raises `UneditableCells`.
        """
        if not self.cells:
            raise UneditableCells("the notebook has no cell with code")
        if any(start < hidden_end and end > hidden for hidden, hidden_end in self.hidden):
            raise UneditableCells("it would change a line that is not Python, such as a magic or a command")
        index = self.index_at(start)
        leads = False
        between = start == self.bounds(index)[1] and index + 1 < len(self.cells)
        if start < end and between and text.startswith(_SEPARATOR):
            # The newline between two cells is only there to be followed by something new.
            start, text, index, leads = start + 1, text[1:], index + 1, True
        cell_start, cell_end = self.bounds(index)
        if end == cell_end + 1 and start < end:
            if text.endswith(_SEPARATOR):
                end, text = cell_end, text[:-1]
            elif not text and self._begins_line(start):
                end = cell_end
        if end > cell_end:
            raise UneditableCells("it would change two cells of the notebook at once")
        return CellEdit(index, start - cell_start, end - cell_start, text, leads)

    def _begins_line(self, offset: int) -> bool:
        return offset in self.starts or self.written.endswith(("\n", "\r"), 0, offset)


def join_cells(cells: Iterable[Cell]) -> JoinedCells:
    """The code cells of a notebook, given in their order, as one text."""
    kept = tuple(cells)
    starts: list[int] = []
    hidden: list[tuple[int, int]] = []
    unseen: list[tuple[int, int]] = []
    texts: list[str] = []
    offset = 0
    for cell in kept:
        stretches = covers(cell.text)
        starts.append(offset)
        hidden += (
            (offset - len(_SEPARATOR) if one.on_top else offset + one.start, offset + one.end)
            for one in stretches
        )
        unseen += ((offset + one.start, offset + one.end) for one in stretches if one.unseen)
        texts.append(covered(cell.text, stretches))
        offset += len(cell.text) + len(_SEPARATOR)
    return JoinedCells(
        kept,
        "".join(text + _SEPARATOR for text in texts),
        "".join(cell.text + _SEPARATOR for cell in kept),
        tuple(starts),
        tuple(hidden),
        tuple(unseen),
    )
