"""What was found in one open file, and on which texts that rests."""

from __future__ import annotations

from dataclasses import dataclass

from npu_migrate.engine.diagnosing import Diagnosed
from npu_migrate.findings import Finding
from npu_migrate.lsp.texts.documents import Content
from npu_migrate.places import CellPlace, Range
from npu_migrate.sources.lines import LineIndex
from npu_migrate.sources.source import Source, SourceError
from npu_migrate.sources.tree import SourceTree


@dataclass(frozen=True, slots=True)
class Judged:
    """What was found in the file `key`, whose present text is `now`.

    `tree` holds the texts that were judged. That of the file itself is an earlier one while `now` cannot be
    analysed; `problem` then says why. `planned`: it is known which fixes can be carried out, and how.
    `language` is the one that the settings of the project ask for.
    """

    key: str
    now: Content
    diagnosed: tuple[Diagnosed, ...]
    tree: SourceTree
    problem: Finding | None = None
    planned: bool = False
    language: str | None = None


def source_of(tree: SourceTree, key: str) -> Source | None:
    """The file `key` of a tree; None where it cannot be read."""
    try:
        return tree.source(key)
    except SourceError:
        return None


def shown_text(source: Source, *, as_cells: bool) -> str:
    """The text of a file as its editor shows it: of a notebook its cells, unless it is shown as the file."""
    if as_cells and source.notebook is not None:
        return source.notebook.joined.written
    return source.file.text


def shown_span(source: Source, place: Range, cell: CellPlace | None, *, as_cells: bool) -> tuple[int, int]:
    """The offsets into the shown text of a place in a report."""
    if as_cells and source.notebook is not None:
        return _span_in_cells(source, cell)
    lines = source.file.lines
    return lines.offset_of(place.start), lines.offset_of(place.end)


def _span_in_cells(source: Source, cell: CellPlace | None) -> tuple[int, int]:
    assert source.notebook is not None
    joined = source.notebook.joined
    for start, one in zip(joined.starts, joined.cells, strict=True):
        if cell is not None and one.number == cell.number:
            lines = LineIndex(one.text)
            return start + lines.offset_of(cell.range.start), start + lines.offset_of(cell.range.end)
    return 0, 0
