"""From the text that was judged to the one at present, of which only one stretch is another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shift:
    """The stretch from `start` to `end` was replaced by one that is longer by `growth` characters."""

    start: int
    end: int
    growth: int

    def moved(self, start: int, end: int) -> tuple[int, int] | None:
        """Where a stretch of the old text is now; None for one that touches what has changed."""
        if self.start == self.end and self.growth == 0:
            return start, end
        if end < self.start:
            return start, end
        if start > self.end:
            return start + self.growth, end + self.growth
        return None


def shift_between(old: str, new: str) -> Shift:
    """The smallest change that makes `new` of `old`."""
    if old == new:
        return Shift(0, 0, 0)
    shorter = min(len(old), len(new))
    start = _common(shorter, lambda size: old.startswith(new[:size]))
    rest = shorter - start
    behind = _common(rest, lambda size: old.endswith(new[len(new) - size :]))
    return Shift(start, len(old) - behind, len(new) - len(old))


def _common(most: int, holds: Callable[[int], bool]) -> int:
    """The largest size up to `most` for which `holds` is true; it is true for every smaller one.

    Comparing whole halves is far faster than comparing character after character.
    """
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if holds(middle):
            low = middle
        else:
            high = middle - 1
    return low
