"""Edits that grow over several passes, each with the fixes that own it.

Owners are numbers that the caller gives to fixes. Fixes are *linked* when they share an edit that is made
of contributions of both: they only work together. A fix *needs* others when it was made for files to which
these had been applied; they do not need it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from npu_migrate.rewrite.edits import OffsetEdit, compose

Owners = frozenset[int]


class Owned(NamedTuple):
    """An edit and the fixes it belongs to."""

    edit: OffsetEdit
    owners: Owners


@dataclass(frozen=True, slots=True)
class Layer:
    """Edits that lead from one state of the files to a later one. No two different ones collide."""

    edits: tuple[Owned, ...] = ()
    links: tuple[Owners, ...] = ()
    needs: tuple[tuple[int, Owners], ...] = ()

    @property
    def owners(self) -> Owners:
        """All fixes that own an edit."""
        return _union(one.owners for one in self.edits)

    def owners_in(self, path: str) -> Owners:
        """The fixes that own an edit on one file."""
        return _union(one.owners for one in self.edits if one.edit.path == path)

    def edits_by_owner(self) -> dict[int, tuple[OffsetEdit, ...]]:
        """The edits of each fix."""
        found: dict[int, list[OffsetEdit]] = defaultdict(list)
        for one in self.edits:
            for owner in one.owners:
                found[owner].append(one.edit)
        return {owner: tuple(edits) for owner, edits in found.items()}

    def companions(self) -> dict[int, Owners]:
        """For each fix that owns an edit or needs another fix: itself and all that go with it."""
        beside: dict[int, set[int]] = defaultdict(set)
        for owner, others in self.needs:
            beside[owner] |= others
        for members in connected(self.links).values():
            for member in members:
                beside[member] |= members
        return {owner: _reachable(owner, beside) for owner in self.owners.union(dict(self.needs))}

    def only(self, owners: Owners) -> Layer:
        """The edits of some owners, as if no one else owned them."""
        shared = (Owned(one.edit, one.owners & owners) for one in self.edits)
        return Layer(tuple(one for one in shared if one.owners), self.links, self.needs)

    def then(self, later: Layer) -> Layer:
        """One layer that does what this one does and then `later`, on the files that this one gives."""
        edits, links = [], []
        for one in compose([owned.edit for owned in self.edits], [owned.edit for owned in later.edits]):
            parts = [self.edits[index].owners for index in one.first]
            parts += [later.edits[index].owners for index in one.second]
            edits.append(Owned(one.edit, _union(parts)))
            if len(set(parts)) > 1:
                links.append(_union(parts))
        return Layer(tuple(edits), (*self.links, *later.links, *links), (*self.needs, *later.needs))

    def beside(self, hidden: Layer) -> tuple[Layer, Owners]:
        """This layer and the edits of `hidden`, on the same files, as far as these do not collide with it.

        The second value are the owners of `hidden` that had to go, with all that must be applied with them.
        """
        taken = sorted(one.edit for one in self.edits)
        gone = _union(one.owners for one in hidden.edits if _collides(one.edit, taken))
        companions = hidden.companions()
        gone = frozenset(owner for owner in hidden.owners if not gone.isdisjoint(companions[owner]))
        owners: dict[OffsetEdit, Owners] = {one.edit: one.owners for one in self.edits}
        for one in hidden.edits:
            if one.owners - gone:
                owners[one.edit] = owners.get(one.edit, frozenset()) | (one.owners - gone)
        edits = tuple(Owned(edit, owned) for edit, owned in sorted(owners.items()))
        links, needs = (*self.links, *hidden.links), (*self.needs, *hidden.needs)
        return Layer(edits, tuple(dict.fromkeys(links)), tuple(dict.fromkeys(needs))), gone


def connected(groups: Iterable[Collection[int]]) -> dict[int, Owners]:
    """For each member of `groups`, all members that it is connected with through shared groups."""
    found: dict[int, Owners] = {}
    for group in groups:
        members = frozenset(group).union(*(found.get(member, frozenset()) for member in group))
        found.update(dict.fromkeys(members, members))
    return found


class Origins:
    """Where the places of a file's later text come from, after the edits of a layer."""

    def __init__(self, layer: Layer, path: str) -> None:
        self._edits = sorted(one for one in layer.edits if one.edit.path == path)
        growth = accumulate((len(edit.text) - (edit.end - edit.start) for edit, _ in self._edits), initial=0)
        self._shifts = tuple(growth)
        self._starts = [one.edit.start + shift for one, shift in zip(self._edits, self._shifts, strict=False)]

    def of(self, offset: int) -> int | Owners:
        """The offset in the earlier text, or the owners of the edit that has written this place."""
        number = bisect_right(self._starts, offset)
        if number:
            edit, owners = self._edits[number - 1]
            if offset < self._starts[number - 1] + len(edit.text):
                return owners
        return offset - self._shifts[number]


def _union(owners: Iterable[Owners]) -> Owners:
    return frozenset[int]().union(*owners)


def _collides(edit: OffsetEdit, taken: Sequence[OffsetEdit]) -> bool:
    """Whether `edit` collides with one of `taken`, which are sorted and do not collide with each other."""
    number = bisect_left(taken, (edit.path, edit.start))
    if number and _collide(edit, taken[number - 1]):
        return True
    for position in range(number, len(taken)):
        other = taken[position]
        if other.path != edit.path or other.start > max(edit.start, edit.end):
            return False
        if _collide(edit, other):
            return True
    return False


def _collide(one: OffsetEdit, other: OffsetEdit) -> bool:
    if one.path != other.path or one == other:
        return False
    return one.start == other.start or (one.start < other.end and other.start < one.end)


def _reachable(owner: int, beside: dict[int, set[int]]) -> Owners:
    found, waiting = {owner}, [owner]
    while waiting:
        new = beside.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return frozenset(found)
