"""The texts that an editor holds open.

The texts are kept here and not taken from pygls, whose documents also break lines at form feeds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lsprotocol import types
from pygls import uris

from npu_migrate.lsp.positions import Encoding, from_editor
from npu_migrate.sources.discovery import key_of
from npu_migrate.sources.lines import LineIndex
from npu_migrate.sources.source import Source, UndecodableFile, from_text


@dataclass(frozen=True, slots=True)
class Document:
    """One open text: the editor's name and version of it, and the key of the file that it stands for."""

    uri: str
    key: str
    version: int
    text: str

    def content(self) -> Source | bytes:
        """The text as a file; as bytes, which will be reported, where it is no text."""
        try:
            return from_text(self.key, self.text)
        except UndecodableFile:
            return self.text.encode("utf-8", "surrogatepass")

    def changed(
        self, version: int, changes: Iterable[types.TextDocumentContentChangeEvent], encoding: Encoding
    ) -> Document:
        """The document after the changes, each of which speaks of the text that the one before has left."""
        text = self.text
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangeWholeDocument):
                text = change.text
                continue
            lines = LineIndex(text)
            start = from_editor(lines, change.range.start, encoding)
            end = from_editor(lines, change.range.end, encoding)
            text = text[:start] + change.text + text[max(start, end) :]
        return Document(self.uri, self.key, version, text)


def key_of_uri(uri: str) -> str | None:
    """The key of the file that an editor names; None for what is no file."""
    path = uris.to_fs_path(uri) if uri.startswith("file:") else None
    return None if path is None else key_of(path)


def uri_of_key(key: str) -> str:
    """The name that an editor has for a file."""
    return uris.from_fs_path(key) or ""
