"""A file of ours in the script's process, which may close or reuse any descriptor."""

from __future__ import annotations

import os


class OwnFile:
    """A file at `path` that is written to. No error of it reaches the script; what fails is lost."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._descriptor = -1
        self._identity: tuple[int, int] | None = None

    def append(self, line: bytes) -> None:
        """Add `line` with one `write`: a process that the script forks may write as well."""
        try:
            if self._is_lost():
                self._open(os.O_APPEND)
            os.write(self._descriptor, line)
        except OSError:
            pass

    def overwrite(self, text: bytes) -> None:
        """Let the file begin with `text`."""
        try:
            if self._is_lost():
                self._open(0)
            if hasattr(os, "pwrite"):
                os.pwrite(self._descriptor, text, 0)
            else:
                os.lseek(self._descriptor, 0, os.SEEK_SET)
                os.write(self._descriptor, text)
        except OSError:
            pass

    def _is_lost(self) -> bool:
        """Whether the script has closed the descriptor; its number may stand for another file since."""
        if self._identity is None:
            return True
        try:
            found = os.fstat(self._descriptor)
        except OSError:
            return True
        return (found.st_dev, found.st_ino) != self._identity

    def _open(self, flags: int) -> None:
        self._identity = None
        self._descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | flags, 0o644)
        os.set_inheritable(self._descriptor, False)
        found = os.fstat(self._descriptor)
        self._identity = found.st_dev, found.st_ino
