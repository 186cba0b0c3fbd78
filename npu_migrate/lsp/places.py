"""Where files are shown: in documents that are open, or on disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lsprotocol import types

from npu_migrate.findings import CellPlace, Range
from npu_migrate.lsp.addresses import address_of_key
from npu_migrate.lsp.documents import OpenFile
from npu_migrate.lsp.judged import shown_span, shown_text, source_of
from npu_migrate.lsp.notebooks import NotebookDocument
from npu_migrate.lsp.positions import Encoding, editor_range
from npu_migrate.sources.lines import LineIndex
from npu_migrate.sources.shifts import shift_between
from npu_migrate.sources.tree import SourceTree


@dataclass(frozen=True, slots=True)
class Places:
    """The files as an editor shows them: `files` are those that are open, by their keys."""

    files: Mapping[str, OpenFile]
    encoding: Encoding

    def location(
        self, tree: SourceTree, key: str, place: Range, cell: CellPlace | None = None
    ) -> types.Location | None:
        """Where a place in a report on `tree` is shown; None where its text has changed since."""
        file = self.files.get(key)
        if file is not None:
            span = moved_span(tree, file, place, cell)
            return None if span is None else file.location(*span, self.encoding)
        source = source_of(tree, key)
        lines = LineIndex("") if source is None else source.file.lines
        start, end = lines.offset_of(place.start), lines.offset_of(place.end)
        return types.Location(address_of_key(key), editor_range(lines, start, end, self.encoding))


def moved_span(
    tree: SourceTree, file: OpenFile, place: Range, cell: CellPlace | None
) -> tuple[int, int] | None:
    """The offsets into the body of an open file of a place in a report on `tree`."""
    source = source_of(tree, file.key)
    if source is None:
        return 0, 0
    as_cells = isinstance(file, NotebookDocument)
    start, end = shown_span(source, place, cell, as_cells=as_cells)
    return shift_between(shown_text(source, as_cells=as_cells), file.body).moved(start, end)
