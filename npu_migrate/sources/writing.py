"""Replacing files so that none is ever half-written.

A write has two steps. `stage` puts the new bytes into a temporary file beside the original and makes sure
that they are on the disk; it may fail without harm. `Staged.commit` renames the temporary file over the
original, which the operating system does as a whole or not at all.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path


class ChangedOnDisk(Exception):
    """The file is no longer what it was when it was read."""


@dataclass(frozen=True, slots=True)
class Staged:
    """New contents of the file `target`, ready in `temporary`; `expected` is what the target should hold."""

    target: Path
    temporary: Path
    expected: bytes

    def commit(self) -> None:
        """Replace the target. Raises `ChangedOnDisk` or `OSError` and then leaves it as it is."""
        try:
            _require_unchanged(self.target, self.expected)
            self.temporary.replace(self.target)
        except BaseException:
            self.discard()
            raise
        _sync_folder(self.target.parent)

    def discard(self) -> None:
        """Remove the temporary file; the target stays as it is."""
        self.temporary.unlink(missing_ok=True)


def stage(path: str, data: bytes, expected: bytes) -> Staged:
    """Prepare `data` as the new contents of the file at `path`, which was read as `expected`.

    A symbolic link stays a link: the file that it leads to is replaced. Mode and, where permitted, owner
    are kept. Raises `ChangedOnDisk` when the file holds other bytes by now, and `OSError`.
    """
    target = Path(os.path.realpath(path))
    _require_unchanged(target, expected)
    if not os.access(target, os.W_OK):
        # Renaming would succeed all the same, but a read-only file says that it is not to be changed.
        raise PermissionError(13, os.strerror(13), str(target))
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            _copy_owner_and_mode(target, Path(name))
            os.fsync(file.fileno())
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return Staged(target, Path(name), expected)


def _require_unchanged(target: Path, expected: bytes) -> None:
    if target.read_bytes() != expected:
        raise ChangedOnDisk(str(target))


def _copy_owner_and_mode(original: Path, copy: Path) -> None:
    status = original.stat()
    if hasattr(os, "chown"):
        # Only root may give a file away; keeping the mode is all that others can do.
        with contextlib.suppress(PermissionError):
            os.chown(copy, status.st_uid, status.st_gid)
    copy.chmod(stat.S_IMODE(status.st_mode))


def _sync_folder(folder: Path) -> None:
    """Make a rename last through a power cut; not every system can open a folder."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
