"""Facts that outlive the analysis they were built for, for a run that looks at the same files twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from npu_migrate.engine.job import index_here

if TYPE_CHECKING:
    from npu_migrate.index.indexing import Indexed, Sheet

MOST = 6_000_000
"""Characters of text whose facts are kept at most: about 130 MB."""


class KeptFacts:
    """An `Index` that knows the facts of the files it was asked for first, while their texts are the same.

    A run that writes looks at all files again, of which few are others. `most` is the length of all texts
    whose facts it keeps.
    """

    def __init__(self, most: int = MOST) -> None:
        self._left = most
        self._known: dict[str, tuple[Sheet, Indexed]] = {}

    def __call__(self, sheets: Iterable[Sheet]) -> Iterator[tuple[str, Indexed]]:
        """The facts of each sheet, in order."""
        for sheet in sheets:
            known = self._known.get(sheet.key)
            if known is not None and known[0] == sheet:
                yield sheet.key, known[1]
                continue
            for key, found in index_here((sheet,)):
                self._keep(sheet, found)
                yield key, found

    def _keep(self, sheet: Sheet, found: Indexed) -> None:
        before = self._known.pop(sheet.key, None)
        if before is not None:
            self._left += len(before[0].text)
        if len(sheet.text) <= self._left:
            self._left -= len(sheet.text)
            self._known[sheet.key] = sheet, found
