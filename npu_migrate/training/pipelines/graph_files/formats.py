"""The forms in which graphs are kept in files, and whether what is read can be what was written."""

from __future__ import annotations

import enum
from typing import NamedTuple


class Format(enum.Enum):
    """What is in a file with a graph: what a saver writes, the graph alone, as text, or ready to serve."""

    META_GRAPH = enum.auto()
    GRAPH = enum.auto()
    GRAPH_TEXT = enum.auto()
    SAVED_MODEL = enum.auto()


class Written(NamedTuple):
    """A graph that is written. `name` is that of the file or folder, None if nobody knows it."""

    format: Format
    name: str | None = None


def may_be_read(written: Written, read: Format, name: str | None) -> bool:
    """Whether what is read from `name` can be what is written; steps and endings are added to names."""
    if written.format is not read:
        return False
    if written.name is None or name is None:
        return True
    if read is Format.SAVED_MODEL:
        return written.name.strip("/").rpartition("/")[2] in name.split("/")
    return name.startswith(written.name)
