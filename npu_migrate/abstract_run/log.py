"""What an abstract run writes down: events in order, each at its place."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from npu_migrate.index.facts import Call
from npu_migrate.places import Place


class Event(NamedTuple):
    """Something that happens. Two events are the same if `kind` and `what` are; `words` are for people."""

    kind: str
    what: tuple[object, ...]
    place: Place
    words: str

    def same_as(self, other: Event) -> bool:
        """Whether the other one, of another version of the program, is the same."""
        return self.kind == other.kind and self.what == other.what


class Turn(NamedTuple):
    """A decision that nothing in the program determines: which of `options` was taken, where and at what."""

    label: tuple[str, ...]
    options: int
    taken: int
    place: Place
    words: str


@dataclass(slots=True)
class Log:
    """One path through a program. `faults` are events that a right program has not.

    `made_at` are the places where iterators are made, `taken_at` those of iterators of which a session takes
    an element.
    """

    events: list[Event] = field(default_factory=list)
    faults: list[Event] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    made_at: set[Place] = field(default_factory=set)
    taken_at: set[Place] = field(default_factory=set)
    end: str = ""
    reason: str = ""
    end_place: Place | None = None


class Path(NamedTuple):
    """What is kept of a path that is over.

    `statements` and `calls` are what ran, `cut` the loops that were left early, each with its file; `quiet`
    are the decisions behind which all came to nothing.
    """

    log: Log
    statements: frozenset[tuple[str, int]]
    calls: frozenset[Call]
    cut: frozenset[tuple[str, int]]
    quiet: frozenset[tuple[int, ...]]
    steps: int
