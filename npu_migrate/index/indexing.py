"""The facts of many files: what is asked for, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from npu_migrate.index.build import build_facts
from npu_migrate.index.facts import FileFacts
from npu_migrate.index.parsing import UNPARSABLE, require_valid


class Sheet(NamedTuple):
    """The Python text of the file `key`.

    `pieces` are the cells of a notebook, each with its first line: what one leaves open must not be closed
    by the next.
    """

    key: str
    text: str
    pieces: tuple[tuple[int, str], ...] = ()


class Failure(NamedTuple):
    """Why a file has no facts: the exception that reading, parsing or indexing it raised."""

    error: Exception


class NotIndexed(Exception):
    """A file was given up because whoever parsed it did not come to an end; the text completes a sentence."""


Indexed = FileFacts | Failure

Index = Callable[[Iterable[Sheet]], Iterator[tuple[str, Indexed]]]
"""Gives the facts of each sheet, by its key, in any order."""


def index_sheet(sheet: Sheet) -> Indexed:
    """The facts of one file."""
    try:
        require_valid(sheet.pieces)
        return build_facts(sheet.key, sheet.text)
    except UNPARSABLE as error:
        return Failure(error)


def index_here(sheets: Iterable[Sheet]) -> Iterator[tuple[str, Indexed]]:
    """The `Index` that builds the facts in this process, one after the other."""
    return ((sheet.key, index_sheet(sheet)) for sheet in sheets)
