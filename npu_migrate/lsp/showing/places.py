"""Where files are shown: in documents that are open, or on disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lsprotocol import types

from npu_migrate.lsp.judging.judged import shown_span, shown_text, source_of
from npu_migrate.lsp.texts.addresses import address_of_key
from npu_migrate.lsp.texts.documents import OpenFile
from npu_migrate.lsp.texts.notebooks import NotebookDocument
from npu_migrate.lsp.texts.positions import Encoding, editor_range
from npu_migrate.places import CellPlace, Range
from npu_migrate.sources.lines import LineIndex
from npu_migrate.sources.shifts import Shift, shift_between
from npu_migrate.sources.source import Source
from npu_migrate.sources.tree import SourceTree


@dataclass(frozen=True, slots=True)
class Places:
    """The files as an editor shows them: `files` are those that are open, by their keys."""

    files: Mapping[str, OpenFile]
    encoding: Encoding


class PlacesOf:
    """Where that is shown of which a report on `tree` speaks. Each file is looked at once."""

    def __init__(self, tree: SourceTree, places: Places) -> None:
        self._tree = tree
        self._places = places
        self._sources: dict[str, Source | None] = {}
        self._shifts: dict[str, Shift] = {}

    def location(self, key: str, place: Range, cell: CellPlace | None = None) -> types.Location | None:
        """Where a place is shown; None where its text has changed since."""
        encoding = self._places.encoding
        file = self._places.files.get(key)
        if file is not None:
            span = self._moved_span(file, place, cell)
            return None if span is None else file.location(*span, encoding)
        source = self._source(key)
        lines = LineIndex("") if source is None else source.file.lines
        start, end = lines.offset_of(place.start), lines.offset_of(place.end)
        return types.Location(address_of_key(key), editor_range(lines, start, end, encoding))

    def _moved_span(self, file: OpenFile, place: Range, cell: CellPlace | None) -> tuple[int, int] | None:
        """The offsets into the body of an open file."""
        source = self._source(file.key)
        if source is None:
            return 0, 0
        as_cells = isinstance(file, NotebookDocument)
        shift = self._shifts.get(file.key)
        if shift is None:
            shift = shift_between(shown_text(source, as_cells=as_cells), file.body)
            self._shifts[file.key] = shift
        return shift.moved(*shown_span(source, place, cell, as_cells=as_cells))

    def _source(self, key: str) -> Source | None:
        if key not in self._sources:
            self._sources[key] = source_of(self._tree, key)
        return self._sources[key]
