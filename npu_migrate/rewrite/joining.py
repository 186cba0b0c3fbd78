"""From parts to edits: which parts cannot be together, and one edit for those that meet at one place."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from npu_migrate.places import Span
from npu_migrate.rewrite.arguments import added, has_arguments
from npu_migrate.rewrite.clashes import extent
from npu_migrate.rewrite.document import Document
from npu_migrate.rewrite.edits import OffsetEdit
from npu_migrate.rewrite.imports import going_on
from npu_migrate.rewrite.layers import Owners
from npu_migrate.rewrite.parts import AddItem, Claim, Insert, Order, Part, Replace, Slot

_FROM = re.compile(r"(\r\n?|\n)from (\S+) import ([\w ]+(?:, [\w ]+)*)")
"""The text of an inserted import that stands on a line of its own."""

_Change = Insert | Replace
_Shares = Mapping[_Change, set[Owners]]
"""For each change, the sets of rewrites that contribute to it."""


class Joined(NamedTuple):
    """One edit and the rewrites it belongs to (their indices).

    `mixed`: it is made of different parts, so that none of its owners can have only its own share.
    """

    edit: OffsetEdit
    owners: Owners
    mixed: bool


def join(
    path: str, document: Document, parts: Mapping[int, Sequence[Part]], unsafe: Container[int]
) -> list[Joined]:
    """The edits on one file for the parts of several rewrites, none of which clash.

    `unsafe` are the rewrites that should not share an edit with the others if that can be helped.
    """
    shares = _shares(document, parts)
    by_start: dict[int, list[_Change]] = defaultdict(list)
    for change in shares:
        by_start[extent(change)[0]].append(change)
    taken = {offset for change in shares for offset in _offsets(change)}
    joined = []
    for start, changes in sorted(by_start.items()):
        runs = [sorted(changes, key=lambda change: _order(change, _is_unsafe(change, shares, unsafe)))]
        before = "\r\n" if document.text.endswith("\r\n", 0, start) else document.text[:start][-1:]
        if before and taken.isdisjoint(range(start - len(before), start)):
            runs = _two_runs(runs[0], shares, unsafe) or runs
        if len(runs) == 2:
            first = _joined(path, start - len(before), before, runs[0], shares)
            if not first.mixed and _is_continued(*runs):
                sharing = (owners for change in runs[1] for owners in shares[change])
                joined.append(first._replace(owners=first.owners.union(*sharing)))
                joined.append(_joined(path, start, "", runs[1], shares, runs[0]))
                continue
            joined.append(first)
        joined.append(_joined(path, start, "", runs[-1], shares))
    return joined


def _shares(document: Document, parts: Mapping[int, Sequence[Part]]) -> _Shares:
    owners: dict[_Change, set[int]] = defaultdict(set)
    items: dict[Span, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for owner, owned in parts.items():
        for part in owned:
            if isinstance(part, AddItem):
                items[part.span][part.text].add(owner)
            elif not isinstance(part, Claim):
                owners[part].add(owner)
    shares = {change: {frozenset(owned)} for change, owned in owners.items()}
    for span, texts in items.items():
        for change, contributed in _added(document, span, texts):
            shares.setdefault(change, set()).update(contributed)
    return shares


def _added(
    document: Document, span: Span, texts: Mapping[str, set[int]]
) -> list[tuple[_Change, set[Owners]]]:
    """The changes that add arguments to one call: one for each set of rewrites, if these can be apart."""
    by_owners: dict[Owners, list[str]] = defaultdict(list)
    for text, adding in texts.items():
        by_owners[frozenset(adding)].append(text)
    single: list[tuple[_Change, set[Owners]]] = []
    for rank, (owners, some) in enumerate(by_owners.items()):
        change = added(document, span, some)
        if len(by_owners) > 1 and (isinstance(change, Replace) or not has_arguments(document, span)):
            return [(added(document, span, list(texts)), set(by_owners))]
        if isinstance(change, Insert):
            change = change._replace(order=Order(Slot.ITEM, 0, rank))
        single.append((change, {owners}))
    return single


def _two_runs(
    ordered: Sequence[_Change], shares: _Shares, unsafe: Container[int]
) -> list[list[_Change]] | None:
    """Changes at one offset in two runs that need not know of each other; ``None`` if there are not two.

    The first run takes in the character before the offset, so that the two do not start at one place.
    """

    def is_unsafe(change: _Change) -> bool:
        return _is_unsafe(change, shares, unsafe)

    for kind in (is_unsafe, shares.__getitem__):
        runs = [list(run) for _, run in groupby(ordered, kind)]
        if len(runs) == 2:
            return runs
    return None


def _is_unsafe(change: _Change, shares: _Shares, unsafe: Container[int]) -> bool:
    return all(owner in unsafe for owners in shares[change] for owner in owners)


def _joined(
    path: str,
    start: int,
    before: str,
    run: Sequence[_Change],
    shares: _Shares,
    earlier: Sequence[_Change] = (),
) -> Joined:
    """One edit for a run of changes, the first text of which is `before`; it goes on where `earlier` ends."""
    owning = set().union(*(shares[change] for change in run))
    edit = OffsetEdit(
        path,
        start,
        max(start + len(before), *(extent(change)[1] for change in run)),
        before + _text(run, earlier),
    )
    return Joined(edit, frozenset().union(*owning), len(owning) > 1)


def _offsets(change: _Change) -> range:
    """Where a change starts, and the characters it replaces."""
    start, end = extent(change)
    return range(start, max(end, start + 1))


class _Names(NamedTuple):
    """What an inserted import takes from a module; `newline` is what it begins with."""

    newline: str
    module: str
    names: tuple[str, ...]

    @property
    def code(self) -> str:
        """The statement, on as many lines as it takes."""
        first, *others = self.names
        code = f"from {self.module} import {first}"
        return self.newline + code + "".join(going_on(len(code), others, self.newline))


def _names(change: _Change) -> _Names | None:
    if not isinstance(change, Insert) or change.order.slot is not Slot.IMPORT_AFTER:
        return None
    found = _FROM.fullmatch(change.text)
    return _Names(found[1], found[2], tuple(found[3].split(", "))) if found else None


def _is_continued(first: Sequence[_Change], second: Sequence[_Change]) -> bool:
    """Whether the second run begins with names of the module that all of the first run is an import of."""
    modules = {names and names.module for names in map(_names, (*first, second[0]))}
    return len(modules) == 1 and None not in modules


def _text(run: Sequence[_Change], earlier: Sequence[_Change]) -> str:
    """The text of a run behind `earlier`: imports from one module, side by side, are one statement."""
    texts: list[str] = []
    last = _together(earlier)[-1] if earlier else None
    for index, one in enumerate(_together(run)):
        if not isinstance(one, _Names):
            texts.append(one)
        elif index == 0 and isinstance(last, _Names) and last.module == one.module:
            names = tuple(name for name in one.names if name not in last.names)
            width = len(last.code.rpartition(last.newline)[2])
            texts += going_on(width, names, one.newline)
        else:
            texts.append(one.code)
    return "".join(texts)


def _together(run: Sequence[_Change]) -> list[_Names | str]:
    """The texts of a run, and what it imports: all names from one module, side by side, together."""
    found: list[_Names | str] = []
    for change in run:
        names = _names(change)
        last = found[-1] if found else None
        if names is None:
            found.append(change.text)
        elif isinstance(last, _Names) and last.module == names.module:
            found[-1] = last._replace(names=tuple(dict.fromkeys((*last.names, *names.names))))
        else:
            found.append(names)
    return found


def _order(change: _Change, unsafe: bool) -> tuple[bool, Order, bool, str]:
    """Insertions in their order, of imports the safe ones first, then what is replaced."""
    if isinstance(change, Replace):
        return True, Order(Slot.SUFFIX), False, change.text
    return False, change.order, unsafe and change.order.slot is Slot.IMPORT_AFTER, change.text
