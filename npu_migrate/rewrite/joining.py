"""From parts to edits: which parts cannot be together, and one edit for those that meet at one place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from npu_migrate.rewrite.document import Document
from npu_migrate.rewrite.edits import OffsetEdit
from npu_migrate.rewrite.parts import Claim, Insert, Part, Replace


class Joined(NamedTuple):
    """One edit and the rewrites it belongs to (their indices).

    `mixed`: it is made of different parts, so that none of its owners can have only its own share.
    """

    edit: OffsetEdit
    owners: frozenset[int]
    mixed: bool


def clash(one: Part, other: Part) -> bool:
    """Whether two parts of one file cannot both be carried out."""
    match one, other:
        case Claim(), Claim():
            return one.subject == other.subject and one.value != other.value
        case Replace(), Replace():
            return one != other and one.start < other.end and other.start < one.end
        case Replace(), Insert():
            return one.start < other.offset < one.end
        case Insert(), Replace():
            return other.start < one.offset < other.end
    return False


def changes(part: Part) -> bool:
    """Whether a part does something to the text."""
    return not isinstance(part, Claim)


def join(path: str, document: Document, parts: Mapping[int, Sequence[Part]]) -> list[Joined]:
    """The edits on one file for the parts of several rewrites, none of which clash."""
    owners: dict[Part, set[int]] = defaultdict(set)
    for owner, owned in parts.items():
        for part in owned:
            owners[part].add(owner)
    by_start: dict[int, list[Insert | Replace]] = defaultdict(list)
    for part in owners:
        if isinstance(part, Insert):
            by_start[part.offset].append(part)
        elif isinstance(part, Replace):
            by_start[part.start].append(part)
    return [_join_at(path, start, together, owners) for start, together in sorted(by_start.items())]


def _join_at(
    path: str, start: int, together: Iterable[Insert | Replace], owners: Mapping[Part, set[int]]
) -> Joined:
    inserts = sorted(part for part in together if isinstance(part, Insert))
    replaced = next((part for part in together if isinstance(part, Replace)), None)
    text = "".join(part.text for part in inserts) + (replaced.text if replaced else "")
    end = replaced.end if replaced else start
    everyone = [frozenset(owners[part]) for part in together]
    return Joined(OffsetEdit(path, start, end, text), frozenset().union(*everyone), len(set(everyone)) > 1)
