"""Entries of the cache: named bytes that come back whole or not at all."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from npu_migrate.cache.entry import header, note_use, read_entry
from npu_migrate.cache.folder import is_entry

LIMIT = 512 * 1024 * 1024
"""How many bytes the entries may have together; the least recently used ones are removed."""


@dataclass(frozen=True, slots=True)
class Store:
    """The entries in `folder`, which `open_folder` has checked; `limit` is their size in bytes."""

    folder: Path
    limit: int = LIMIT

    def read(self, name: str) -> bytes | None:
        """The bytes of an entry; ``None`` if it is missing, damaged or cannot be read."""
        payload = read_entry(self.folder, name)
        if payload is not None:
            note_use(self.folder, name)
        return payload

    def write(self, name: str, payload: bytes) -> None:
        """Keep an entry, whole or not at all. Raises `OSError`."""
        draft = self.folder / f".draft-{os.urandom(8).hex()}"
        try:
            with draft.open("xb") as file:
                file.write(header(name, payload))
                file.write(payload)
            draft.replace(self.folder / name)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise

    def prune(self) -> None:
        """Remove the entries that were of use longest ago, until the others keep to the limit.

        Raises `OSError`.
        """
        entries = []
        for entry in os.scandir(self.folder):
            # Another run may remove entries at the same time.
            with contextlib.suppress(FileNotFoundError):
                if is_entry(entry.name):
                    status = entry.stat(follow_symlinks=False)
                    entries.append((status.st_mtime_ns, status.st_size, entry.path))
        excess = sum(size for _, size, _ in entries) - self.limit
        for _, size, path in sorted(entries):
            if excess <= 0:
                return
            Path(path).unlink(missing_ok=True)
            excess -= size
