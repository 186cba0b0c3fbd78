"""From parts to edits: which parts cannot be together, and one edit for those that meet at one place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from npu_migrate.findings import Span
from npu_migrate.rewrite.arguments import added
from npu_migrate.rewrite.document import Document
from npu_migrate.rewrite.edits import OffsetEdit
from npu_migrate.rewrite.parts import AddItem, Claim, Insert, Part, Replace


class Joined(NamedTuple):
    """One edit and the rewrites it belongs to (their indices).

    `mixed`: it is made of different parts, so that none of its owners can have only its own share.
    """

    edit: OffsetEdit
    owners: frozenset[int]
    mixed: bool


def clash(one: Part, other: Part) -> bool:
    """Whether two parts of one file cannot both be carried out."""
    if isinstance(one, Claim) or isinstance(other, Claim):
        both = isinstance(one, Claim) and isinstance(other, Claim)
        return both and one[0] == other[0] and one[1] != other[1]
    if one == other or (isinstance(one, AddItem) and isinstance(other, AddItem) and one.span == other.span):
        return False
    (start, end), (other_start, other_end) = _extent(one), _extent(other)
    if start == other_start:
        return start < end and other_start < other_end
    return start < other_end and other_start < end


def changes(part: Part) -> bool:
    """Whether a part does something to the text."""
    return not isinstance(part, Claim)


def join(path: str, document: Document, parts: Mapping[int, Sequence[Part]]) -> list[Joined]:
    """The edits on one file for the parts of several rewrites, none of which clash."""
    owners: dict[_Change, set[int]] = defaultdict(set)
    items: dict[Span, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for owner, owned in parts.items():
        for part in owned:
            if isinstance(part, AddItem):
                items[part.span][part.text].add(owner)
            elif not isinstance(part, Claim):
                owners[part].add(owner)
    mixed = set()
    for span, texts in items.items():
        change = added(document, span, list(texts))
        owners[change].update(*texts.values())
        if len({frozenset(one) for one in texts.values()}) > 1:
            mixed.add(change)
    by_start: dict[int, list[_Change]] = defaultdict(list)
    for change in owners:
        by_start[_extent(change)[0]].append(change)
    return [
        _join_at(path, start, changes, owners, not mixed.isdisjoint(changes))
        for start, changes in sorted(by_start.items())
    ]


_Change = Insert | Replace


def _extent(part: Insert | Replace | AddItem) -> tuple[int, int]:
    return (part.offset, part.offset) if isinstance(part, Insert) else (part.start, part.end)


def _join_at(
    path: str, start: int, together: Sequence[_Change], owners: Mapping[_Change, set[int]], mixed: bool
) -> Joined:
    """One edit for all that starts at one offset: the insertions in their order, then what is replaced."""
    inserts = sorted(part for part in together if isinstance(part, Insert))
    replaced = next((part for part in together if isinstance(part, Replace)), None)
    text = "".join(part.text for part in (*inserts, *([replaced] if replaced else ())))
    owning = {frozenset(owners[part]) for part in together}
    return Joined(
        OffsetEdit(path, start, replaced.end if replaced else start, text),
        frozenset().union(*owning),
        mixed or len(owning) > 1,
    )
