"""From what has to be there and what is there to what has to be done; pure, so done twice it is once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from npu_migrate.posting.placing import Placed, Wanted
from npu_migrate.posting.remarks import Posted, State
from npu_migrate.posting.texts import digest_of, finished, resolved, say_as_in


class Change(NamedTuple):
    """A comment that gets another text; `settled` is what its thread becomes, None if it stays as it is."""

    posted: Posted
    body: str
    settled: bool | None = None


class Plan(NamedTuple):
    """What has to be done. `summary` are texts of new parts of the summary, `unchanged` counts comments."""

    create: tuple[Wanted, ...] = ()
    update: tuple[Change, ...] = ()
    resolve: tuple[Change, ...] = ()
    summary: tuple[str, ...] = ()
    unchanged: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether everything is as it has to be."""
        return not (self.create or self.update or self.resolve or self.summary)


def plan(want: Placed, existing: Sequence[Posted], commit: str) -> Plan:
    """What turns the comments `existing` into what is wanted at `commit`.

    A comment is known again by the fingerprints of its findings. What a person did to the thread of a finding
    that is still there is left as it is.
    """
    free = [one for one in existing if one.part is None]
    create: list[Wanted] = []
    update: list[Change] = []
    unchanged = 0
    for wanted in want.comments:
        found = _best(wanted.remark.fingerprints, free)
        if found is None:
            create.append(wanted)
            continue
        free.remove(found)
        if found.state is State.OPEN and found.digest == wanted.digest:
            unchanged += 1
        else:
            reopened = found.state is State.RESOLVED and found.settled
            update.append(Change(found, wanted.body, False if reopened else None))
    still = want.listed.union(*(one.remark.fingerprints for one in want.comments))
    resolve = []
    for one in free:
        if one.state is State.RESOLVED or one.fingerprints & still:
            unchanged += 1
        else:
            resolve.append(Change(one, resolved(one.body, commit), True))
    summary, changed, same = _summary(want, existing)
    return Plan(tuple(create), (*update, *changed), tuple(resolve), tuple(summary), unchanged + same)


def _best(fingerprints: frozenset[str], free: Iterable[Posted]) -> Posted | None:
    """The comment that shares most findings; an open one before one that was resolved."""
    shared = [one for one in free if one.fingerprints & fingerprints]
    return max(
        shared,
        key=lambda one: (one.state is State.OPEN, len(one.fingerprints & fingerprints)),
        default=None,
    )


def _summary(want: Placed, existing: Sequence[Posted]) -> tuple[list[str], list[Change], int]:
    """New parts of the summary, parts that change, and how many stay as they are."""
    parts = {one.part: one for one in reversed(existing) if one.part is not None}
    texts = dict(enumerate(want.summary, 1))
    new = [text for number, text in texts.items() if number not in parts]
    changed = []
    for number, posted in sorted((number, one) for number, one in parts.items() if number is not None):
        say = say_as_in(want.text or posted.body)
        nothing = want.text if number == 1 and want.text else say("npu-migrate lists nothing here any more.")
        text = texts.get(number) or finished(nothing, number)
        if posted.digest != digest_of(text):
            changed.append(Change(posted, text))
    return new, changed, len(parts) - len(changed)
