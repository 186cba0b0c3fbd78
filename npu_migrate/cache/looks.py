"""What a run has looked at, as one hash: while it is the same, so is all that the run has seen."""

from __future__ import annotations

import hashlib
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""A file may have become a pipe, which would keep us waiting."""
_PYTHON = (".py", ".ipynb")
_DECISIVE = (".gitignore", "pyvenv.cfg")
"""Names of other files that decide about what is around them."""


class Looks:
    """What is looked at; all paths are absolute.

    Of `folders` these are the entries that a search for Python files looks at, of `files` the contents, or
    that there is none, and of `places` where they lead to and what is there.
    """

    __slots__ = ("files", "folders", "places")

    def __init__(self, folders: Iterable[str], files: Iterable[str], places: Iterable[str]) -> None:
        self.folders = tuple(folders)
        self.files = tuple(files)
        self.places = tuple(places)

    def digest(self) -> str | None:
        """A hash of all that is seen now; None if something cannot be read."""
        seen = hashlib.sha256()
        try:
            for place in self.places:
                _add(seen, place, os.path.realpath(place), str(_kind(place)))
            for folder in self.folders:
                _add(seen, folder, *_entries(folder))
            for file in self.files:
                _add_content(seen, file)
        except OSError:
            return None
        return seen.hexdigest()


def stamp_of(status: os.stat_result) -> tuple[int, ...]:
    """What becomes another whenever a file is written to, even if it gets its old content and time back."""
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def stamps_of(files: Iterable[str]) -> list[tuple[int, ...] | None]:
    """The stamps of files; None for one that cannot be asked."""
    return [_stamp(file) for file in files]


def _stamp(file: str) -> tuple[int, ...] | None:
    try:
        return stamp_of(os.stat(file))  # noqa: PTH116 - on the way to each remembered answer
    except OSError:
        return None


def _add(seen: hashlib._Hash, *texts: str) -> None:
    for text in texts:
        seen.update(os.fsencode(text))
        seen.update(b"\0")


def _entries(folder: str) -> Iterator[str]:
    """What a folder holds: folders, Python files, notebooks, and what decides about others."""
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=_name):
            if entry.is_dir(follow_symlinks=False):
                yield f"{entry.name}/"
            elif entry.name.endswith(_PYTHON) or entry.name in _DECISIVE:
                yield entry.name
                if not entry.is_file(follow_symlinks=False):
                    yield f"{os.path.realpath(entry.path)} {_kind(entry.path)}"


def _name(entry: os.DirEntry[str]) -> str:
    return entry.name


def _add_content(seen: hashlib._Hash, file: str) -> None:
    try:
        descriptor = os.open(file, _READ)
    except (FileNotFoundError, NotADirectoryError):
        _add(seen, file, "is not there")
        return
    try:
        status = os.fstat(descriptor)
        regular = stat.S_ISREG(status.st_mode)
        content = _content(descriptor, status.st_size) if regular else b""
    finally:
        os.close(descriptor)
    _add(seen, file, f"{regular} {len(content)}")
    seen.update(content)


def _content(descriptor: int, size: int) -> bytes:
    """All that a file holds, mostly `size` bytes."""
    content = os.read(descriptor, size + 1)
    while more := os.read(descriptor, size + 1) if content else b"":
        content += more
    return content


def _kind(path: str) -> int:
    """The type of what `path` leads to; 0 for nothing."""
    try:
        return stat.S_IFMT(os.stat(path).st_mode)  # noqa: PTH116 - as above
    except OSError:
        return 0
