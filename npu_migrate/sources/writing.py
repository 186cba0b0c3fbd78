"""Replacing files so that none is ever half-written.

A write has two steps. First the new bytes of all files go into temporary files beside the originals and
are made to reach the disk; this may fail or be interrupted without harm. Then each temporary file is
renamed over its original, which the operating system does as a whole or not at all.

A process that is killed in between leaves temporary files behind. They are in nobody's way, since each has a
name of its own; the next write into the same folder removes them. Their names say which process of which
machine they belong to, so those of a run that is still going on stay.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import platform
import re
import secrets
import signal
import stat
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

CHANGED = "has changed on disk since it was read; run again"

_STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2}
_STREAM = re.compile(r"/dev/stdout|/dev/stderr|/(?:dev|proc/self)/fd/(\d+)")


class Replacement(NamedTuple):
    """The new bytes of the file at `path`, which was read as `expected`; None if there was no such file."""

    path: str
    data: bytes
    expected: bytes | None


class Replaced(NamedTuple):
    """The paths that were written, and for each of the others why not (the rest of a sentence)."""

    written: tuple[str, ...]
    refused: Mapping[str, str]


class ChangedOnDisk(Exception):
    """The file is no longer what it was when it was read."""


@dataclass(frozen=True, slots=True)
class _Staged:
    path: str
    target: Path
    temporary: Path
    expected: bytes | None

    def commit(self) -> None:
        _require_unchanged(self.target, self.expected)
        self.temporary.replace(self.target)
        _sync_folder(self.target.parent)

    def discard(self) -> None:
        self.temporary.unlink(missing_ok=True)


def replace_files(replacements: Iterable[Replacement]) -> Replaced:
    """Replace files atomically, and none of them unless all can be prepared.

    A symbolic link stays a link: the file that it leads to is replaced. Mode and, where permitted, owner
    are kept. A file that holds other bytes than expected is refused. New files are made before others are
    replaced, which may need them. An interruption (Ctrl-C) either changes nothing or takes effect when the
    last file is replaced.
    """
    staged: list[_Staged] = []
    refused: dict[str, str] = {}
    try:
        for replacement in sorted(replacements, key=lambda one: one.expected is not None):
            try:
                staged.append(_stage(replacement))
            except (OSError, ChangedOnDisk) as error:
                refused[replacement.path] = _reason(error)
        if refused:
            return Replaced((), refused)
        with _interruptions_held_back():
            for one in staged:
                try:
                    one.commit()
                except (OSError, ChangedOnDisk) as error:
                    refused[one.path] = _reason(error)
    finally:
        for one in staged:
            one.discard()
        for folder in {one.target.parent for one in staged}:
            _remove_leftovers(folder)
    return Replaced(tuple(one.path for one in staged if one.path not in refused), refused)


def write_file(path: str, data: bytes) -> None:
    """Write a file that need not exist yet, whole or not at all. Raises `OSError`.

    A device or pipe is written to as it is, and so is a stream that the process has open, such as
    ``/dev/stdout``, whatever it leads to. A read-only file is refused.
    """
    stream = _STREAM.fullmatch(path)
    if stream is not None:
        with os.fdopen(os.dup(_STREAMS.get(path) or int(stream[1])), "wb") as file:
            file.write(data)
        return
    target = Path(os.path.realpath(path))
    if target.exists():
        if not target.is_file():
            target.write_bytes(data)
            return
        _require_writable(target)
    draft = target.with_name(f"{_own_prefix()}{secrets.token_hex(8)}.tmp")
    try:
        with draft.open("xb") as file:
            file.write(data)
        if target.exists():
            _copy_owner_and_mode(target, draft)
        draft.replace(target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _stage(replacement: Replacement) -> _Staged:
    target = Path(os.path.realpath(replacement.path))
    _require_unchanged(target, replacement.expected)
    if replacement.expected is not None:
        _require_writable(target)
    draft = target.with_name(f"{_own_prefix()}{secrets.token_hex(8)}.tmp")
    # Nobody may read meanwhile what only its owner may read afterwards.
    mode = 0o666 if replacement.expected is None else 0o600
    try:
        with open(draft, "xb", opener=lambda path, flags: os.open(path, flags, mode)) as file:
            file.write(replacement.data)
            file.flush()
            if replacement.expected is not None:
                _copy_owner_and_mode(target, draft)
            os.fsync(file.fileno())
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    return _Staged(replacement.path, target, draft, replacement.expected)


def _require_writable(target: Path) -> None:
    """Raise `PermissionError` for a read-only file.

    Renaming would succeed all the same, but the file says that it is not to be changed.
    """
    if not os.access(target, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))


def _own_prefix() -> str:
    """How the temporary files of this process begin."""
    return f".npu-migrate-{_machine()}-{os.getpid()}-"


def _machine() -> str:
    return hashlib.sha256(platform.node().encode()).hexdigest()[:8]


def _remove_leftovers(folder: Path) -> None:
    """Remove the temporary files of processes of this machine that are no longer there."""
    name = re.compile(rf"\.npu-migrate-{_machine()}-(\d+)-\w+\.tmp")
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            match = name.fullmatch(entry.name)
            if match is not None and not _is_running(int(match[1])):
                with contextlib.suppress(OSError):
                    Path(entry.path).unlink()


def _is_running(process: int) -> bool:
    """Whether there is such a process; yes where that cannot be asked without harm."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _reason(error: OSError | ChangedOnDisk) -> str:
    if isinstance(error, ChangedOnDisk):
        return CHANGED
    return f"cannot be written: {error.strerror or error}"


@contextlib.contextmanager
def _interruptions_held_back() -> Iterator[None]:
    """Let Ctrl-C wait until the block is done."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[int] = []
    previous = signal.signal(signal.SIGINT, lambda number, frame: held.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
    if held:
        signal.raise_signal(signal.SIGINT)


def _require_unchanged(target: Path, expected: bytes | None) -> None:
    """Raise `ChangedOnDisk` for a file with other bytes; `expected` is None where there should be none."""
    changed = os.path.lexists(target) if expected is None else target.read_bytes() != expected
    if changed:
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
