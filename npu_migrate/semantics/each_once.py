"""Going through things that lead to others, in circles too: each of them is looked at once."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Generic, TypeVar

_Item = TypeVar("_Item", bound=Hashable)


class EachOnce(Generic[_Item]):
    """An iterator over `first` and all that is added while it runs, the latest first, each item once."""

    def __init__(self, first: Iterable[_Item]) -> None:
        self._waiting = [*first]
        self._seen: set[_Item] = set()

    def add(self, *items: _Item) -> None:
        """Look at `items` too, unless that has been done."""
        self._waiting.extend(items)

    def __iter__(self) -> Iterator[_Item]:
        while self._waiting:
            item = self._waiting.pop()
            if item not in self._seen:
                self._seen.add(item)
                yield item
