"""The bytes of an entry's file: they vouch for themselves and for the name they are kept under."""

from __future__ import annotations

import hashlib

_MAGIC = b"npu-migrate cache 1\n"
_DIGEST_SIZE = 32


def header(name: str, payload: bytes) -> bytes:
    """What the file of the entry `name` begins with, before the `payload`."""
    digest = hashlib.blake2b(digest_size=_DIGEST_SIZE)
    digest.update(name.encode())
    digest.update(b"\0")
    digest.update(payload)
    return _MAGIC + digest.digest()


def payload_of(name: str, content: bytes) -> bytes | None:
    """The payload in the `content` of the file of the entry `name`; None if it is not what was written."""
    start = len(_MAGIC) + _DIGEST_SIZE
    payload = content[start:]
    return payload if content[:start] == header(name, payload) else None
