"""The hashes of a tree's files, as earlier runs have found them.

A tree has thousands of files, of which a few have changed. The hash of a file is kept under its stamp, which
becomes another one whenever the file is written to; a file with the same stamp is not read.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from dataclasses import dataclass, field

from npu_migrate.cache.looks import stamp_of
from npu_migrate.cache.store import Store
from npu_migrate.sources.source import Source
from npu_migrate.sources.tree import SourceTree

Digests = dict[str, bytes]
"""The hash of each file's content, by key; of one that cannot be read what went wrong."""

_Stamp = tuple[int, ...]

Stamps = dict[str, _Stamp]
"""The stamps of files, by key; without those that were written to a moment ago, whose stamps tell nothing."""

_OLD = 3_000_000_000
"""Nanoseconds. A file that was just written may be written again under the same stamp: the clocks of file
systems are coarse."""

_STAMPS_TELL = os.name == "posix"
"""Whether a stamp has the time of the last change to a file, which nobody can set back."""


@dataclass(frozen=True, slots=True)
class SeenFiles:
    """The memory of the files of one tree, in `store`, for the tool with this `identity`.

    `prefix` is the root with a ``/`` behind it. What is read is known from then on, so this is for one run.
    """

    store: Store
    identity: bytes
    prefix: str
    _known: dict[str, tuple[_Stamp, bytes]] = field(default_factory=dict)
    _asked: set[str] = field(default_factory=set)
    _new: set[str] = field(default_factory=set)

    @staticmethod
    def of(store: Store, identity: bytes, tree: SourceTree) -> SeenFiles:
        """What is known of the files of `tree`."""
        seen = SeenFiles(store, identity, f"{tree.root.as_posix().rstrip('/')}/")
        kept = store.read(seen.name("stamps")) if _STAMPS_TELL else None
        if kept is not None:
            for path, stamp, digest in json.loads(kept):
                seen._known[path] = tuple(stamp), bytes.fromhex(digest)
        return seen

    def digests(self, tree: SourceTree, known: Digests | None = None) -> Digests:
        """The hashes of all files of `tree`; some may be `known`, and files with a new stamp are read."""
        known = known or {}
        return {
            key: known[key] if key in known else self._digest(tree, key)
            for key in (*tree.targets, *tree.context)
        }

    @property
    def is_first(self) -> bool:
        """Whether no earlier run has left anything."""
        return _STAMPS_TELL and not self._known and self.store.read(self.name("stamps")) is None

    def stamps(self, tree: SourceTree) -> Stamps:
        """The stamps of the files of `tree` on disk."""
        found = {}
        for key in (*tree.targets, *tree.context):
            with contextlib.suppress(OSError):
                now = time.time_ns()
                status = os.stat(key)  # noqa: PTH116 - for every file
                if _is_old(status, now):
                    found[key] = stamp_of(status)
        return found

    def keep(self) -> None:
        """Keep the hashes for later runs. Raises `OSError`."""
        if _STAMPS_TELL and (self._new or self.is_first):
            known = self._known
            rows = [(path, known[path][0], known[path][1].hex()) for path in self._asked & known.keys()]
            self.store.write(self.name("stamps"), json.dumps(rows, separators=(",", ":")).encode())
            self._new.clear()

    def name(self, kind: str, *deciding: object) -> str:
        """The name of the entry for what is kept of this `kind`, for this root wherever it is moved."""
        try:
            root = os.stat(self.prefix)  # noqa: PTH116 - so are files
            place: tuple[object, ...] = root.st_dev, root.st_ino
        except OSError:
            place = (self.prefix,)
        digest = hashlib.sha256(
            repr((self.identity, kind, place, deciding)).encode("utf-8", "surrogateescape")
        )
        return f"{digest.hexdigest()[:32]}.{kind}"

    def _digest(self, tree: SourceTree, key: str) -> bytes:
        held = tree.replaced.get(key)
        if held is not None:
            # A text that was given as text counts as UTF-8 whatever its cookie says.
            encoding = held.encoding.encode() if isinstance(held, Source) else b""
            return hashlib.sha256(tree.data(key)).digest() + encoding
        path = key[len(self.prefix) :]
        self._asked.add(path)
        now = time.time_ns()
        try:
            status = os.stat(key)  # noqa: PTH116 - for every file
            stamp = stamp_of(status)
            known = self._known.get(path)
            if known is not None and known[0] == stamp:
                return known[1]
            digest = hashlib.sha256(tree.data(key)).digest()
        except OSError as error:
            return repr((type(error), error.errno)).encode()
        if _is_old(status, now):
            self._known[path] = stamp, digest
            self._new.add(path)
        return digest


def _is_old(status: os.stat_result, now: int) -> bool:
    return now - max(status.st_mtime_ns, status.st_ctime_ns) > _OLD
