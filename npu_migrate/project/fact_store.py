"""The facts of the files of a tree: built when they are first asked for, and then kept."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator, Mapping

from npu_migrate.index.facts import FileFacts
from npu_migrate.index.indexing import Failure, Index, Indexed, NotIndexed, Sheet
from npu_migrate.project.one_file import OneFile
from npu_migrate.sources.source import SourceError
from npu_migrate.sources.tree import SourceTree


class FactStore:
    """The facts of each file of `tree`, or why it has none. `index` builds them, here or elsewhere."""

    def __init__(self, tree: SourceTree, index: Index) -> None:
        self.tree = tree
        self.index = index
        self._facts: dict[str, Indexed] = {}
        self._files: dict[str, OneFile] = {}

    def known(self) -> frozenset[str]:
        """The files whose facts were built, or could not be."""
        return frozenset(self._facts)

    def facts(self, key: str) -> FileFacts | None:
        """The facts of a file; None when it cannot be read or parsed (see `failure`)."""
        found = self._facts.get(key)
        if found is None:
            for _ in self.gather((key,)):
                pass
            found = self._facts[key]
        return found if isinstance(found, FileFacts) else None

    def failure(self, key: str) -> Exception | None:
        """Why `facts` gives None."""
        self.facts(key)
        found = self._facts[key]
        return found.error if isinstance(found, Failure) else None

    def file(self, key: str) -> OneFile | None:
        """What the facts of a file say by themselves; None when it has none."""
        facts = self.facts(key)
        if facts is None:
            return None
        known = self._files.get(key)
        if known is None or known.facts is not facts:
            known = self._files[key] = OneFile(facts)
        return known

    def gather(self, keys: Iterable[str]) -> Iterator[str]:
        """Build the facts of those of `keys` that have none yet, and yield each when that is done.

        The order is any.
        """
        missing = [key for key in keys if key not in self._facts]
        for key, found in self.index(sheets_of(self.tree, missing)):
            self._facts[key] = found
            yield key
        for key in missing:
            if key not in self._facts:
                self._facts[key] = self._unreadable(key)
                yield key

    def edited(self, tree: SourceTree, forgotten: Collection[str] = ()) -> FactStore:
        """The facts of the same files with some texts replaced; those of the others are kept.

        `forgotten` are files that may have changed although no text stands for them.
        """
        store = FactStore(tree, self.index)
        store._facts = {key: facts for key, facts in self._known_in(tree).items() if key not in forgotten}
        # Not the same dict: both may be asked in turns about a file of which each has facts of its own.
        store._files = dict(self._files)
        return store

    def read_from(self, tree: SourceTree) -> None:
        """Build what is still missing from `tree`, which differs from the one so far in comments alone."""
        self.tree = tree

    def take(self, other: FactStore, keys: Collection[str] | None = None) -> None:
        """Keep what `other`, in which the files `keys` (or all) are the same, has learnt about files."""
        self._facts |= {key: known for key, known in other._facts.items() if keys is None or key in keys}

    def take_same(self, other: FactStore) -> None:
        """Keep what `other` has learnt about those files whose texts are the same here."""
        self._facts = {**other._known_in(self.tree), **self._facts}

    def _known_in(self, tree: SourceTree) -> dict[str, Indexed]:
        """What is known of the files whose texts are the same in `tree`."""
        here, there = self.tree.replaced, tree.replaced
        return {key: found for key, found in self._facts.items() if here.get(key) == there.get(key)}

    def give(self, facts: Mapping[str, FileFacts]) -> None:
        """Facts that somebody has built already, of the files as they are here."""
        self._facts |= facts

    def _unreadable(self, key: str) -> Failure:
        try:
            self.tree.source(key)
        except SourceError as error:
            return Failure(error)
        return Failure(NotIndexed("it changed while it was read"))


def sheets_of(tree: SourceTree, keys: Iterable[str]) -> Iterator[Sheet]:
    """The texts of files, without those that cannot be read."""
    for key in keys:
        with contextlib.suppress(SourceError):
            source = tree.source(key)
            yield Sheet(key, source.text, source.pieces if source.notebook is not None else ())
