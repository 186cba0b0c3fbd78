"""What editors call files: addresses, and the keys that they stand for."""

from __future__ import annotations

import os
from urllib.parse import quote, unquote, urlsplit

from pygls import uris

from npu_migrate.sources.discovery import key_of

_WINDOWS = os.name == "nt"


def key_of_address(address: str) -> str | None:
    """The key of the file that an editor names, or of a text that has no file yet; None for anything else.

    A text without a file lies alone in a folder that cannot be on any disk.
    """
    scheme, _, rest = address.partition(":")
    if scheme == "file":
        path = _path_of(address)
        return key_of(path) if path else None
    return f"/{scheme}:/{quote(rest)}/text.py" if scheme == "untitled" and rest else None


def address_of_key(key: str) -> str:
    """The address of a file."""
    if _WINDOWS:
        return uris.from_fs_path(key) or ""
    return f"file://{quote(key)}"


def has_file(key: str) -> bool:
    """Whether a key may be that of a file, and not of a text that has none yet."""
    return not key.startswith("/untitled:/")


def _path_of(address: str) -> str | None:
    if _WINDOWS:
        return uris.to_fs_path(address)
    parts = urlsplit(address)
    # Only where there are drives does `/c:/` begin with one.
    return (
        unquote(parts.path) if parts.netloc in ("", "localhost") else f"//{parts.netloc}{unquote(parts.path)}"
    )
