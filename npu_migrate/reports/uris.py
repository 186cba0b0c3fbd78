"""Paths as URIs, percent-encoded byte for byte."""

from __future__ import annotations

import os
import posixpath
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote


class FileUri(NamedTuple):
    """Where a file is: a URI relative to a folder that lies `parents` levels above the report's folder.

    `parents` is None for an absolute URI.
    """

    uri: str
    parents: int | None


def file_uri(path: str) -> FileUri:
    """The URI of a path as reports show it: relative with ``/``, or absolute when on another drive.

    A relative URI holds no ``..``, which many readers of reports refuse.
    """
    if Path(path).is_absolute():
        return FileUri(_absolute(path), None)
    parents = 0
    while path.startswith("../"):
        path = path.removeprefix("../")
        parents += 1
    return FileUri(quote(os.fsencode(path)), parents)


def folder_uri(folder: str, parents: int = 0) -> str:
    """The absolute URI, ending with ``/``, of the folder that lies `parents` levels above `folder`."""
    for _ in range(parents):
        folder = posixpath.dirname(folder)
    uri = _absolute(folder)
    return uri if uri.endswith("/") else f"{uri}/"


def _absolute(path: str) -> str:
    encoded = quote(os.fsencode(path), safe="/:")
    return f"file:{encoded}" if path.startswith("//") else f"file:///{encoded.lstrip('/')}"
