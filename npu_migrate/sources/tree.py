"""The files of one run: which ones are judged, which ones only explain them, and their contents."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from npu_migrate.sources.source import (
    Source,
    SourceError,
    UnreadableFile,
    decode,
    from_text,
    is_notebook,
    new_source,
)


class NotebookMemory:
    """The notebooks that were decoded last. A copy for another process begins empty."""

    _MOST = 8

    def __init__(self) -> None:
        self._known: dict[str, Source] = {}

    def decoded(self, key: str, data: bytes) -> Source:
        """The notebook `key` with the bytes `data`. Raises what `decode` raises."""
        known = self._known.pop(key, None)
        if known is None or known.data != data:
            known = decode(key, data)
        self._known[key] = known
        if len(self._known) > self._MOST:
            del self._known[next(iter(self._known))]
        return known

    def __reduce__(self) -> tuple[type[NotebookMemory], tuple[()]]:
        return NotebookMemory, ()


@dataclass(frozen=True, slots=True)
class _AllBut(Collection[str]):
    """The files of a tree without some of its targets, in order, put together when somebody wants them all.

    A large tree gets a focus for each of its parts, and hardly anybody asks for what is around it.
    """

    tree: SourceTree
    missing: frozenset[str]

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and key not in self.missing and self.tree.holds(key)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*self.tree.targets, *self.tree.context} - self.missing))

    def __len__(self) -> int:
        return len(self.tree.targets) + len(self.tree.context) - len(self.missing)


@dataclass(frozen=True, slots=True)
class SourceTree:
    """An immutable view on the Python files and notebooks below `root`.

    A file's key is its absolute path with ``/``. `targets` are the sorted keys of the files that the user
    asked about, `context` the sorted keys of the other files below the root. Contents are read on demand and
    not kept, except for those that were replaced in memory. Fixes may change targets, and what is `editable`
    besides. What the last few notebooks held is remembered, as long as their bytes are the same: they are
    large, and decoding them takes much longer than reading.
    """

    root: Path
    targets: tuple[str, ...]
    context: Collection[str]
    replaced: Mapping[str, Source | bytes] = field(default_factory=dict, repr=False)
    editable: frozenset[str] = field(default=frozenset(), repr=False)
    notebooks: NotebookMemory = field(default_factory=NotebookMemory, repr=False, compare=False)

    def holds(self, key: str) -> bool:
        """Whether `key` is one of the files."""
        context = self.context
        return _has(self.targets, key) or (
            _has(context, key) if isinstance(context, tuple) else key in context
        )

    def data(self, key: str) -> bytes:
        """The bytes of one file. Raises `OSError`."""
        held = self.replaced.get(key)
        if held is not None:
            return held if isinstance(held, bytes) else held.data
        with open(key, "rb", buffering=0) as file:  # noqa: PTH123 - for every file; `Path` doubles its cost
            return file.read()

    def python(self, key: str) -> bytes:
        """The Python text of one file as bytes, in which names can be searched. Raises `OSError`.

        Of a notebook these are its joined code cells, or all bytes of one that cannot be read.
        """
        data = self.data(key)
        if not is_notebook(key):
            return data
        held = self.replaced.get(key)
        try:
            return (held if isinstance(held, Source) else self.notebooks.decoded(key, data)).python
        except SourceError:
            return data

    def source(self, key: str) -> Source:
        """One file, decoded. Raises `UnreadableFile` and what `decode` raises."""
        held = self.replaced.get(key)
        if isinstance(held, Source):
            return held
        try:
            data = self.data(key)
        except OSError as error:
            raise UnreadableFile(key, f"cannot be read: {error.strerror or error}") from None
        return self.notebooks.decoded(key, data) if is_notebook(key) else decode(key, data)

    def source_to_edit(self, key: str) -> Source:
        """One file as edits see it: one that is not there yet is empty. Raises what `source` raises."""
        return self.source(key) if self.exists(key) else new_source(key)

    def exists(self, key: str) -> bool:
        """Whether there is such a file, in memory or on disk, be it one of this tree or not."""
        return key in self.replaced or self.holds(key) or os.path.lexists(key)

    def is_new(self, key: str) -> bool:
        """Whether the file `key`, which this tree holds in memory, is not there yet: edits make it."""
        held = self.replaced.get(key)
        return isinstance(held, Source) and held.new

    def focused(self, keys: Collection[str]) -> SourceTree:
        """The same files, of which only the targets among `keys` remain targets."""
        targets = tuple(sorted(key for key in keys if _has(self.targets, key)))
        return replace(self, targets=targets, context=_AllBut(self, frozenset(targets)))

    def with_contents(self, contents: Mapping[str, Source | bytes]) -> SourceTree:
        """The same tree with some files replaced in memory; bytes are decoded whenever they are asked for."""
        return replace(self, replaced={**self.replaced, **contents})

    def with_texts(self, texts: Mapping[str, str]) -> SourceTree:
        """The same tree with the texts of some files replaced in memory.

        They keep the encoding and BOM of the files they replace; where there is no such file they count
        as UTF-8. Raises `UndecodableFile` and `UnencodableText`.
        """
        return self.with_contents({key: self._edited(key, text) for key, text in texts.items()})

    def _edited(self, key: str, text: str) -> Source:
        try:
            original = self.source_to_edit(key)
        except UnreadableFile:
            return from_text(key, text)
        return original.with_text(text)


def _has(ordered: Sequence[str], key: str) -> bool:
    """Whether `key` is among some keys that are sorted."""
    position = bisect_left(ordered, key)
    return position < len(ordered) and ordered[position] == key
