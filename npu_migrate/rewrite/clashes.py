"""Which parts of one file cannot both be carried out."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from npu_migrate.rewrite.parts import AddItem, Claim, Insert, Part, Replace


def extent(part: Insert | Replace | AddItem) -> tuple[int, int]:
    """The offsets between which a part changes the text, or needs it unchanged."""
    return (part.offset, part.offset) if isinstance(part, Insert) else (part.start, part.end)


def clash(one: Part, other: Part) -> bool:
    """Whether two parts of one file cannot both be carried out."""
    if isinstance(one, Claim) or isinstance(other, Claim):
        both = isinstance(one, Claim) and isinstance(other, Claim)
        return both and one[0] == other[0] and one[1] != other[1]
    if one == other or (isinstance(one, AddItem) and isinstance(other, AddItem) and one.span == other.span):
        return False
    (start, end), (other_start, other_end) = extent(one), extent(other)
    if start == other_start:
        return start < end and other_start < other_end
    return start < other_end and other_start < end


class Taken:
    """The parts of one file that are chosen so far, none of which clash, with the rewrites they belong to.

    It only grows, and finds the parts that a further one clashes with by looking at its neighbours.
    """

    def __init__(self) -> None:
        self._claims: dict[tuple[str | int, ...], list[tuple[Part, int]]] = defaultdict(list)
        self._ranges: list[tuple[int, int, int, Part]] = []
        self._points: list[tuple[int, int, int, Part]] = []

    def add(self, parts: Iterable[Part], owner: int) -> None:
        """Take the parts of one rewrite."""
        for part in parts:
            if isinstance(part, Claim):
                self._claims[part.subject].append((part, owner))
                continue
            start, end = extent(part)
            insort(self._points if start == end else self._ranges, (start, end, owner, part), key=_place)

    def blockers(self, parts: Iterable[Part]) -> frozenset[int]:
        """The rewrites with which any of `parts` clashes."""
        return frozenset(owner for part in parts for other, owner in self._near(part) if clash(part, other))

    def _near(self, part: Part) -> Iterator[tuple[Part, int]]:
        if isinstance(part, Claim):
            yield from self._claims.get(part.subject, ())
            return
        start, end = extent(part)
        yield from _from(self._points, bisect_left(self._points, start, key=_start), end)
        first = bisect_left(self._ranges, start, key=_start)
        while first > 0 and self._ranges[first - 1][1] > start:
            first -= 1
        yield from _from(self._ranges, first, end)


def _from(
    sorted_parts: Sequence[tuple[int, int, int, Part]], first: int, end: int
) -> Iterator[tuple[Part, int]]:
    """The parts from an index on that begin up to `end`."""
    for index in range(first, len(sorted_parts)):
        start, _, owner, part = sorted_parts[index]
        if start > end:
            return
        yield part, owner


def _place(taken: tuple[int, int, int, Part]) -> tuple[int, int, int]:
    return taken[:3]


def _start(taken: tuple[int, int, int, Part]) -> int:
    return taken[0]
