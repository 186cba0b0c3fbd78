"""Notebooks in an editor, which holds their cells as documents of their own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from lsprotocol import types

from npu_migrate.lsp.texts.documents import Content, Document, Splice
from npu_migrate.lsp.texts.positions import Encoding
from npu_migrate.sources.cells import Cell, JoinedCells, UneditableCells, join_cells
from npu_migrate.sources.source import SourceError, UneditableText, from_text

_SUFFIX = ".ipynb"
_LANGUAGE = "python"


@dataclass(frozen=True)
class NotebookDocument:
    """An open notebook: the addresses of its cells in their order, and the documents of those with Python."""

    uri: str
    key: str
    order: tuple[str, ...]
    cells: Mapping[str, Document]

    @property
    def parts(self) -> tuple[Document, ...]:
        """The cells with Python, in their order."""
        return tuple(self.cells[uri] for uri in self.order if uri in self.cells)

    @cached_property
    def content(self) -> Content:
        """The notebook as a file that holds these cells and nothing else."""
        text = json.dumps(self._as_json(), ensure_ascii=False)
        try:
            return from_text(self.key, text)
        except SourceError:
            return text.encode("utf-8", "surrogatepass")

    def _as_json(self) -> dict[str, object]:
        cells: list[dict[str, object]] = [
            {
                "cell_type": "code",
                "metadata": {},
                "execution_count": None,
                "outputs": [],
                "source": self.cells[uri].text,
            }
            if uri in self.cells
            else {"cell_type": "markdown", "metadata": {}, "source": ""}
            for uri in self.order
        ]
        about = {"language_info": {"name": _LANGUAGE}}
        return {"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}

    @cached_property
    def joined(self) -> JoinedCells:
        """The cells with Python as one text."""
        numbers = {uri: number for number, uri in enumerate(self.order, 1)}
        return join_cells(Cell(numbers[part.uri], part.text) for part in self.parts)

    @property
    def body(self) -> str:
        """The joined cells, as they are written."""
        return self.joined.written

    def location(self, start: int, end: int, encoding: Encoding) -> types.Location | None:
        """Where a stretch of `body` is shown; cut off where its cell ends, None where there is no cell."""
        if not self.parts:
            return None
        index = self.joined.index_at(start)
        first, last = self.joined.bounds(index)
        return self.parts[index].location(min(start, last) - first, min(end, last) - first, encoding)

    def offset(self, uri: str, position: types.Position, encoding: Encoding) -> int:
        """The offset into `body` of a position in the cell `uri`."""
        for index, part in enumerate(self.parts):
            if part.uri == uri:
                return self.joined.starts[index] + part.offset(uri, position, encoding)
        return 0

    def spliced(self, splices: Iterable[Splice], encoding: Encoding) -> dict[Document, list[types.TextEdit]]:
        """The edits of the cells that edits of the joined text come to.

        Raises `UneditableText` for one that would change two cells at once.
        """
        try:
            edits = {self.joined.cell_edit(*one) for one in splices}
        except UneditableCells as error:
            raise UneditableText(self.key, str(error)) from None
        found: dict[Document, list[types.TextEdit]] = {}
        for edit in sorted(edits, key=lambda one: (one.cell, one.start, not one.leads, one.end)):
            part = self.parts[edit.cell]
            place = part.location(edit.start, edit.end, encoding).range
            found.setdefault(part, []).append(types.TextEdit(place, edit.text))
        return found

    def changed(self, change: types.NotebookDocumentChangeEvent, encoding: Encoding) -> NotebookDocument:
        """The notebook after a change of its cells; changes of what it does not have are passed over."""
        cells = change.cells
        if cells is None:
            return self
        notebook = self
        if cells.structure is not None:
            notebook = notebook._rearranged(cells.structure)
        known = dict(notebook.cells)
        for one in cells.text_content or ():
            document = known.get(one.document.uri)
            if document is not None and one.document.version >= document.version:
                known[document.uri] = document.changed(one.document.version, one.changes, encoding)
        return replace(notebook, cells=known)

    def _rearranged(self, change: types.NotebookDocumentCellChangeStructure) -> NotebookDocument:
        start, end = change.array.start, change.array.start + change.array.delete_count
        added = tuple(cell.document for cell in change.array.cells or ())
        order = (*self.order[:start], *added, *self.order[end:])
        known = {**self.cells, **_documents(self.key, change.did_open or ())}
        return replace(self, order=order, cells={uri: cell for uri, cell in known.items() if uri in order})


def opened_notebook(
    notebook: types.NotebookDocument, key: str, texts: Iterable[types.TextDocumentItem]
) -> NotebookDocument:
    """The notebook that an editor has opened; `key` is that of its file."""
    key = key if key.endswith(_SUFFIX) else f"{key}{_SUFFIX}"
    order = tuple(cell.document for cell in notebook.cells)
    return NotebookDocument(notebook.uri, key, order, _documents(key, texts))


def _documents(key: str, texts: Iterable[types.TextDocumentItem]) -> dict[str, Document]:
    return {
        one.uri: Document(one.uri, key, one.version, one.text)
        for one in texts
        if one.language_id == _LANGUAGE
    }
