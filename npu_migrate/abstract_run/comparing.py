"""Two logs of the same path, before and after an edit: is anything different that matters?"""

from __future__ import annotations

from typing import NamedTuple

from npu_migrate.abstract_run.log import FROM_THE_START, RESTORED, Event, Log
from npu_migrate.abstract_run.machine.machine import ENDS, FAILS, OUT_OF_SIGHT, PRUNED
from npu_migrate.places import Place

SAME = "same"
IMPOSSIBLE = "impossible"
REFUTED = "refuted"
LOST = "lost"
APART = "apart"
"""What comparing can come to. `IMPOSSIBLE` is a path on which the program has failed before the edit too,
`APART` one on which only one of the two was pruned."""


class Difference(NamedTuple):
    """What came of a comparison, in words, and where; `breaks` tells that the program certainly fails after
    the edit, as it did not before."""

    kind: str
    words: str = ""
    place: Place | None = None
    breaks: bool = False


def compared(old: Log, new: Log) -> Difference:
    """Compare the logs of a path before and after."""
    if old.end.startswith(FAILS):
        return Difference(IMPOSSIBLE)
    one_is_pruned = old.end.startswith(PRUNED) != new.end.startswith(PRUNED)
    if one_is_pruned and OUT_OF_SIGHT not in (old.end, new.end) and not _new_faults(old, new):
        return Difference(APART)
    if new.skipped and _iterators(new) < _iterators(old):
        return Difference(LOST, "an iterator is made where nothing can be followed")
    found = _new_faults(old, new)
    if found:
        return Difference(REFUTED, found[0].words, found[0].place, _breaks(new, found[0]))
    if OUT_OF_SIGHT in (old.end, new.end):
        lost = new if new.end == OUT_OF_SIGHT else old
        return Difference(LOST, lost.reason, lost.end_place)
    if any(fault.kind == "uninitialized" for fault in new.faults):
        return Difference(LOST, "an iterator is not initialized with the fix either")
    decided = [turn.label for turn in new.turns]
    if new.end.startswith(FAILS) and decided == [turn.label for turn in old.turns[: len(decided)]]:
        words = f"after the fix the program {_ending(new)} here"
        return Difference(REFUTED, words, new.end_place, _breaks(new))
    if decided != [turn.label for turn in old.turns]:
        return Difference(LOST, "the program decides something else after the fix")
    if old.end != new.end:
        words = f"after the fix the program {_ending(new)} here"
        return Difference(REFUTED, words, new.end_place, _breaks(new))
    return _events(old, new)


def _iterators(log: Log) -> int:
    return sum(event.kind == "iterator" for event in log.events)


def _ending(log: Log) -> str:
    if not log.end.startswith(FAILS):
        return log.end
    error = log.end.removeprefix(f"{FAILS}: ")
    return f"fails with {error}"


def _breaks(new: Log, fault: Event | None = None) -> bool:
    """Whether the program fails on a path that assumes nothing but whether there is a checkpoint."""
    is_open = any(turn.words not in (FROM_THE_START, RESTORED) for turn in new.turns)
    if is_open or new.skipped:
        return False
    return new.end.startswith(FAILS) or fault in new.fatal


def _new_faults(old: Log, new: Log) -> list[Event]:
    known = [(fault.kind, fault.what) for fault in (*old.faults, *old.unread.values())]
    found = []
    for fault in (*new.faults, *_left_unread(new)):
        if (fault.kind, fault.what) in known:
            known.remove((fault.kind, fault.what))
        else:
            found.append(fault)
    return found


def _left_unread(log: Log) -> list[Event]:
    """The iterators that sessions have started over files, and read other data instead."""
    if log.end != ENDS:
        return []
    busy = {session for _, session in log.seen.takes}
    return [fault for (session, _), fault in log.unread.items() if session in busy]


def _events(old: Log, new: Log) -> Difference:
    for before, after in zip(old.events, new.events, strict=False):
        if not before.same_as(after):
            return Difference(REFUTED, _difference(before, after), after.place)
    if len(old.events) > len(new.events):
        gone = old.events[len(new.events)]
        return Difference(REFUTED, f"no longer: {gone.words}")
    if len(new.events) > len(old.events):
        more = new.events[len(old.events)]
        return Difference(REFUTED, f"now also: {more.words}", more.place)
    return Difference(SAME)


def _difference(before: Event, after: Event) -> str:
    if before.kind == after.kind == "run" and before.what[0] == after.what[0]:
        if before.what[2:] == after.what[2:] and len(str(before.what[1])) and before.what[1] != after.what[1]:
            return "the data starts anew before this run, as it did not without the fix"
        return "this run does something else than without the fix"
    return f"here {after.words}; without the fix {before.words}"
