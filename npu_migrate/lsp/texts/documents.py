"""The texts that an editor holds open.

The texts are kept here and not taken from pygls, whose documents also break lines at form feeds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from lsprotocol import types

from npu_migrate.lsp.texts.changing import changed_text
from npu_migrate.lsp.texts.positions import Encoding, editor_range, from_editor
from npu_migrate.sources.lines import LineIndex
from npu_migrate.sources.source import Source, SourceError, from_text

Content = Source | bytes
Splice = tuple[int, int, str]
"""Replace the text between two offsets by another one."""

_BOM = "\ufeff"


class OpenFile(Protocol):
    """What an editor holds of one file. `body` is the text that offsets speak of."""

    @property
    def uri(self) -> str:
        """The editor's name of the file."""

    @property
    def key(self) -> str:
        """The key of the file."""

    @property
    def content(self) -> Content:
        """The file as it is analysed; bytes where it is no text."""

    @property
    def body(self) -> str:
        """All text that is shown."""

    @property
    def parts(self) -> tuple[Document, ...]:
        """The documents that show the text, to each of which findings are told."""

    def location(self, start: int, end: int, encoding: Encoding) -> types.Location | None:
        """Where the stretch between two offsets into `body` is shown."""

    def offset(self, uri: str, position: types.Position, encoding: Encoding) -> int:
        """The offset into `body` of a position in one of `parts`."""

    def spliced(self, splices: Iterable[Splice], encoding: Encoding) -> dict[Document, list[types.TextEdit]]:
        """The edits of the shown documents that edits of the analysed text come to.

        Raises `SourceError` for edits that the file cannot take.
        """


@dataclass(frozen=True)
class Document:
    """One open text: the editor's name and version of it, and the key of the file that it stands for."""

    uri: str
    key: str
    version: int
    text: str

    @cached_property
    def lines(self) -> LineIndex:
        """The lines that the editor counts."""
        return LineIndex(self.text)

    @cached_property
    def content(self) -> Content:
        """The text as a file; as bytes, which will be reported, where it is no text."""
        try:
            return from_text(self.key, self.text)
        except SourceError:
            return self.text.encode("utf-8", "surrogatepass")

    @property
    def body(self) -> str:
        """The text without a byte order mark, which is shown by some editors."""
        return self.text[self._mark :]

    @property
    def parts(self) -> tuple[Document, ...]:
        """This document alone."""
        return (self,)

    @property
    def _mark(self) -> int:
        return 1 if self.text.startswith(_BOM) else 0

    def location(self, start: int, end: int, encoding: Encoding) -> types.Location:
        """Where the stretch between two offsets into `body` is shown."""
        place = editor_range(self.lines, start + self._mark, end + self._mark, encoding)
        return types.Location(self.uri, place)

    def offset(self, uri: str, position: types.Position, encoding: Encoding) -> int:
        """The offset into `body` of a position."""
        return max(from_editor(self.lines, position, encoding) - self._mark, 0)

    def spliced(self, splices: Iterable[Splice], encoding: Encoding) -> dict[Document, list[types.TextEdit]]:
        """The edits of this document that edits of the analysed text come to. Raises `SourceError`."""
        content = self.content
        assert isinstance(content, Source), "nothing is fixed in what is no text"
        edits = []
        for splice in sorted({content.file_edit(*one) for one in splices}):
            place = self.location(*splice[:2], encoding).range
            edits.append(types.TextEdit(place, splice[2]))
        return {self: edits}

    def changed(
        self, version: int, changes: Iterable[types.TextDocumentContentChangeEvent], encoding: Encoding
    ) -> Document:
        """The document after the changes, each of which speaks of the text that the one before has left."""
        return Document(self.uri, self.key, version, changed_text(self.text, changes, encoding))
