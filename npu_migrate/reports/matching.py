"""Which lines of two texts are the same ones, in almost linear time."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import Match, SequenceMatcher


class AnchoredMatcher(SequenceMatcher[bytes]):
    """`difflib.SequenceMatcher`, which takes quadratic time, only for what lies between anchors.

    An anchor is a line that each of the texts has exactly once, in the same order among the others.
    """

    a: Sequence[bytes]
    b: Sequence[bytes]

    def get_matching_blocks(self) -> list[Match]:
        """The stretches that are equal, and an empty one at the end, as in the base class."""
        blocks: list[Match] = []
        for start, other, size in _matches(self.a, self.b):
            if not size:
                continue
            last = blocks[-1] if blocks else None
            if last is not None and (last.a + last.size, last.b + last.size) == (start, other):
                blocks[-1] = Match(last.a, last.b, last.size + size)
            else:
                blocks.append(Match(start, other, size))
        return [*blocks, Match(len(self.a), len(self.b), 0)]


def _matches(old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[tuple[int, int, int]]:
    """Stretches that are equal: where each begins in `old` and in `new`, and how many lines it has."""
    start, other = 0, 0
    for end, other_end in (*_anchors(old, new), (len(old), len(new))):
        yield from _matches_between(old[start:end], new[other:other_end], start, other)
        if end < len(old):
            yield end, other_end, 1
        start, other = end + 1, other_end + 1


def _matches_between(
    old: Sequence[bytes], new: Sequence[bytes], start: int, other: int
) -> Iterator[tuple[int, int, int]]:
    """The equal stretches of two pieces, which begin at `start` and `other`; the edges are compared first."""
    most = min(len(old), len(new))
    head = next((number for number in range(most) if old[number] != new[number]), most)
    rest = range(1, most - head + 1)
    tail = next((number - 1 for number in rest if old[-number] != new[-number]), most - head)
    yield start, other, head
    inside = SequenceMatcher(None, old[head : len(old) - tail], new[head : len(new) - tail])
    for one in inside.get_matching_blocks():
        yield start + head + one.a, other + head + one.b, one.size
    yield start + len(old) - tail, other + len(new) - tail, tail


def _anchors(old: Sequence[bytes], new: Sequence[bytes]) -> list[tuple[int, int]]:
    """The places of the lines that both have once: as many as have the same order in both."""
    once = {line for line, times in Counter(old).items() if times == 1}
    places = {line: number for number, line in enumerate(new) if line in once}
    once.intersection_update(line for line, times in Counter(new).items() if times == 1)
    pairs = [(number, places[line]) for number, line in enumerate(old) if line in once]
    return _longest_rise(pairs)


def _longest_rise(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of `pairs`, some left out, in which the second numbers rise as the first ones do."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [place]
        last[length : length + 1] = [number]
    found = []
    current = last[-1] if last else -1
    while current >= 0:
        found.append(pairs[current])
        current = before[current]
    return found[::-1]
