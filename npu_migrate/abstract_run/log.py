"""What an abstract run writes down: events in order, each at its place."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from npu_migrate.index.facts import Call, Expr
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


class Level(NamedTuple):
    """One frame of the stack: which one of the path, and the statement of its scope that runs."""

    frame: int
    key: str
    scope: int
    statement: int


class Made(NamedTuple):
    """How an iterator came about: the frames, the outermost first, and the sessions that were open, with what
    reads each of them in the innermost frame: a text, `DEFAULT` for the default session, or None."""

    stack: tuple[Level, ...]
    readable: tuple[tuple[int, str | None], ...]


DEFAULT = "the default session"
FROM_THE_START = "there is no checkpoint"
RESTORED = "a checkpoint is restored"
"""What is decided where a session comes up."""


class Opened(NamedTuple):
    """How a session came about: the frames, the outermost first, and whether a library manages it."""

    stack: tuple[Level, ...]
    managed: bool


class Kept(NamedTuple):
    """What a session was stored to, and the frames at that time, the outermost first."""

    stack: tuple[Level, ...]
    target: Expr


@dataclass(slots=True)
class Sightings:
    """Which sessions take elements of which iterators, each by its number on this path.

    `kept` is what each session was first stored to, a variable or attribute.
    """

    iterators: dict[int, Made] = field(default_factory=dict)
    sessions: dict[int, Opened] = field(default_factory=dict)
    takes: set[tuple[int, int]] = field(default_factory=set)
    kept: dict[int, Kept] = field(default_factory=dict)


@dataclass(slots=True)
class Log:
    """One path through a program. `faults` are events that a right program has not.

    `made_at` are the places where iterators are made, `taken_at` those of iterators of which a session takes
    an element. `unread` has a fault for each session and iterator that it has started over files, until it
    takes an element. `stuck_in` is the file that cannot be followed while it is imported, if the path ends
    so before anything has happened. `skipped` counts the statements that were left out. `fatal` are the
    faults that end the program where they happen: nothing catches their error.
    """

    events: list[Event] = field(default_factory=list)
    faults: list[Event] = field(default_factory=list)
    fatal: list[Event] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    made_at: set[Place] = field(default_factory=set)
    taken_at: set[Place] = field(default_factory=set)
    unread: dict[tuple[int, int], Event] = field(default_factory=dict)
    seen: Sightings = field(default_factory=Sightings)
    end: str = ""
    reason: str = ""
    end_place: Place | None = None
    stuck_in: str = ""
    skipped: int = 0


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
