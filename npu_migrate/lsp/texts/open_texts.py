"""All texts that an editor holds open, by the names that it has for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from npu_migrate.lsp.texts.documents import Content, OpenFile


class OpenTexts:
    """The open files. Two of them may stand for one file on disk: then the one that changed last counts."""

    def __init__(self) -> None:
        self._files: dict[str, OpenFile] = {}
        self._counting: dict[str, OpenFile] = {}

    @property
    def by_key(self) -> Mapping[str, OpenFile]:
        """The open files that count, by the keys of the files that they stand for."""
        return self._counting

    def hold(self, file: OpenFile) -> None:
        """Take over a file that was opened or has changed."""
        self._files.pop(file.uri, None)
        self._files[file.uri] = file
        self._counting[file.key] = file

    def drop(self, uri: str) -> OpenFile | None:
        """Forget a file that was closed, and return it."""
        gone = self._files.pop(uri, None)
        if gone is not None:
            rest = self.of_key(gone.key)
            self._counting.pop(gone.key)
            if rest:
                self._counting[gone.key] = rest[-1]
        return gone

    def content(self, key: str) -> Content | None:
        """What is held of a file; None if it is not open."""
        file = self._counting.get(key)
        return None if file is None else file.content

    def of_key(self, key: str) -> tuple[OpenFile, ...]:
        """All open files that stand for one file; the one that changed last is the last."""
        return tuple(file for file in self._files.values() if file.key == key)

    def named(self, uri: str) -> OpenFile | None:
        """The open file with this name, or with a cell of this name."""
        file = self._files.get(uri)
        return file if file is not None else next(self._with_part(uri), None)

    def _with_part(self, uri: str) -> Iterator[OpenFile]:
        return (file for file in self._files.values() if any(part.uri == uri for part in file.parts))
