"""Which known name an unknown one was probably meant to be."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

FARTHEST = 2
"""A name that differs in more letters is another name."""

_LETTERS_PER_SLIP = 3


class Similar(NamedTuple):
    """A known name, and in how many letters the unknown one differs from it, not counting capital ones."""

    name: str
    distance: int

    def in_words(self) -> str:
        """``did you mean dump_mode (1 letter differs)?``"""
        letters = "1 letter differs" if self.distance == 1 else f"{self.distance} letters differ"
        letters = letters if self.distance else "only capital letters differ"
        return f"did you mean {self.name} ({letters})?"


def distance(one: str, other: str) -> int:
    """How many letters have to be put in, left out or exchanged to make one name of the other."""
    row = list(range(len(other) + 1))
    for index, letter in enumerate(one, 1):
        before, row[0] = row[0], index
        for place, wanted in enumerate(other, 1):
            before, row[place] = (
                row[place],
                min(row[place] + 1, row[place - 1] + 1, before + (letter != wanted)),
            )
    return row[-1]


def similar(name: str, known: Iterable[str]) -> Similar | None:
    """The one known name that is nearest to `name`; None if none is near, or several are."""
    known = tuple(known)
    alike = [one for one in known if one.lower() == name.lower()]
    if len(alike) == 1:
        return Similar(alike[0], 0)
    most = min(FARTHEST, len(name) // _LETTERS_PER_SLIP)
    near = sorted(
        (far, one)
        for one in known
        if abs(len(one) - len(name)) <= most and (far := distance(name, one)) <= most
    )
    if not near or (len(near) > 1 and near[0][0] == near[1][0]):
        return None
    return Similar(near[0][1], near[0][0])
