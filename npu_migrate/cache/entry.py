"""The file of one entry: its bytes vouch for themselves and for the name they are kept under."""

from __future__ import annotations

import contextlib
import hashlib
import os

from npu_migrate.cache.ownership import is_own

_MAGIC = b"npu-migrate cache 1\n"
_DIGEST_SIZE = 32


def header(name: str, payload: bytes) -> bytes:
    """What the file of the entry `name` begins with, before the `payload`."""
    digest = hashlib.blake2b(digest_size=_DIGEST_SIZE)
    digest.update(name.encode())
    digest.update(b"\0")
    digest.update(payload)
    return _MAGIC + digest.digest()


def read_entry(folder: str | os.PathLike[str], name: str) -> bytes | None:
    """The payload of the entry `name`; None if it is missing, cannot be read or is not what was written."""
    try:
        descriptor = os.open(_file(folder, name), os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        with os.fdopen(descriptor, "rb") as file:
            content = file.read() if is_own(descriptor) else b""
    except OSError:
        return None
    start = len(_MAGIC) + _DIGEST_SIZE
    payload = content[start:]
    return payload if content[:start] == header(name, payload) else None


def note_use(folder: str | os.PathLike[str], name: str) -> None:
    """Have the time of an entry tell that it was of use; a cache that cannot be written to still answers."""
    with contextlib.suppress(OSError):
        os.utime(_file(folder, name))


def _file(folder: str | os.PathLike[str], name: str) -> str:
    return f"{os.fspath(folder)}/{name}"
