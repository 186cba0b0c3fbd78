"""One path through a program: where it is, what it may still spend, what it decides and writes down."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from npu_migrate.abstract_run.log import Event, Level, Log, Turn
from npu_migrate.abstract_run.machine.values import (
    PLAIN,
    Arguments,
    Class,
    External,
    Frame,
    Module,
    Raising,
    Table,
    Unknown,
    Value,
)
from npu_migrate.index.facts import Binding, Call, Expr, FileFacts, Statement
from npu_migrate.places import Place


class Lost(Exception):
    """The run meets something that it cannot follow."""

    def __init__(self, reason: str, place: Place | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.place = place


class Exhausted(Lost):
    """The run has come to the end of its budget."""


class Raised(Exception):
    """The program raises `value`; it `fails` where it does so by a mistake, such as a missing name."""

    def __init__(self, value: Value, *, fails: bool = False) -> None:
        super().__init__()
        self.value = value
        self.fails = fails
        self.place: Place | None = None


class Pruned(Exception):
    """From here on, the path is one that was gone before; `turn` is the number of the decision that ended."""

    def __init__(self, turn: int) -> None:
        super().__init__()
        self.turn = turn


class Signal(NamedTuple):
    """How a block was left: ``return``, ``break`` or ``continue``."""

    kind: str
    value: Value = None


@dataclass(frozen=True, slots=True)
class Budget:
    """How much one path may take. Counts, not seconds: a result must not depend on the machine."""

    steps: int = 6_000
    calls_within_calls: int = 30
    nesting: int = 120
    turns: int = 60


class Source(Protocol):
    """The files of a program."""

    def facts(self, key: str) -> FileFacts | None:
        """The facts of a file."""

    def resolve(self, importer: str, module: str, level: int) -> str | None:
        """The file that an import means."""

    def imported_at(self, key: str) -> Mapping[int, Sequence[tuple[str, Binding]]]:
        """The names that each import statement of a file binds."""

    def blocks(self, key: str) -> Mapping[tuple[int, str], tuple[Statement, ...]]:
        """The statements of a file, by the block they lie in."""


class Library(Protocol):
    """Everything that is not of the program."""

    def call(self, name: str, arguments: Arguments) -> Value:
        """What calling the function or class `name` returns."""

    def attribute(self, owner: Value, name: str) -> Value:
        """An attribute of a value that is neither of the program nor modelled."""

    def builtin(self, name: str) -> Value | None:
        """What a name stands for that no scope binds; None for none."""

    def made_of(self, cls: Class) -> Value:
        """A new object of a class of the program, before its ``__init__``."""

    def inherited(self, instance: Value, base: str, name: str) -> Value:
        """An attribute that an object of the program has from a class of a library."""

    def stored(self, value: Value, target: Expr) -> None:
        """Something has been assigned to a target of the program."""

    def may_raise(self, callee: Value) -> bool:
        """Whether calling something outside of the program may raise what the program handles."""

    def must_not_see(self, value: Value) -> str:
        """Why code that cannot be followed must not get a value; empty if it may."""


class Doors(NamedTuple):
    """The parts of the interpreter, for each other: no module imports another one in a circle."""

    evaluate: Callable[[Run, Frame, Expr], Value]
    block: Callable[[Run, Frame, Sequence[Statement]], Generator[Value, None, Signal | None]]
    call: Callable[[Run, Value, Arguments], Value]
    attribute: Callable[[Run, Value, str], Value]
    items: Callable[[Run, Value], Iterator[Value]]
    load: Callable[[Run, str, str], Module]


class Mark(NamedTuple):
    """The state before the branches of a decision: its number, and what would show that they do nothing."""

    turn: int
    version: int
    written: int
    names: tuple[tuple[str, Value], ...]


_ABSENT = object()


@dataclass(eq=False)
class Run:
    """One path. `decisions` are what to take at the first turns; behind them the first option is taken.

    `trying` counts the statements around that handle a failure, `excusing` those that handle missing files.
    `may_prune` says of the decisions up to a turn whether all its other options came to nothing. One that
    `skips` goes on behind a statement that it cannot follow, as if that gave something unknown: it can show
    that something goes wrong, and never that all is right.
    """

    source: Source
    doors: Doors
    decisions: tuple[int, ...]
    may_prune: Callable[[tuple[int, ...]], bool]
    skips: bool = False
    budget: Budget = field(default_factory=Budget)
    log: Log = field(default_factory=Log)
    libraries: Library = field(init=False)
    frames: list[Frame] = field(default_factory=list)
    modules: dict[str, Module] = field(default_factory=dict)
    statements_run: set[tuple[str, int]] = field(default_factory=set)
    calls_run: set[Call] = field(default_factory=set)
    cut: set[tuple[str, int]] = field(default_factory=set)
    quiet: set[tuple[int, ...]] = field(default_factory=set)
    truths: dict[Unknown, bool] = field(default_factory=dict)
    equals: dict[Unknown, Value] = field(default_factory=dict)
    conditions: dict[tuple[object, ...], Unknown] = field(default_factory=dict)
    tests: dict[Unknown, tuple[str, Unknown, Value]] = field(default_factory=dict)
    raised_at: set[object] = field(default_factory=set)
    trying: int = 0
    excusing: int = 0
    handling: list[Value] = field(default_factory=list)
    version: int = 0
    written: list[tuple[object, Value]] = field(default_factory=list)
    made: dict[str, int] = field(default_factory=dict)
    steps: int = 0
    nesting: int = 0
    main: str = ""
    numbers: dict[Frame, int] = field(default_factory=dict)

    def let_go(self) -> None:
        """Untie at the end of the path what the program has tied together; the run is of no use any more.

        A module's names hold functions, and these their module. Only Python's collector would free them, and
        with them the facts of the files, which are most of the memory. It is expensive (`engine/memory.py`).
        """
        for module in self.modules.values():
            module.let_go()
        vars(self).clear()

    # -- the interpreter -------------------------------------------------------------------------------

    def evaluate(self, frame: Frame, expr: Expr) -> Value:
        """The value of an expression."""
        return self.doors.evaluate(self, frame, expr)

    def call(self, callee: Value, *positional: Value, **keywords: Value) -> Value:
        """What a call returns."""
        return self.doors.call(self, callee, Arguments(list(positional), dict(keywords)))

    def attribute(self, owner: Value, name: str) -> Value:
        """An attribute of any value."""
        return self.doors.attribute(self, owner, name)

    def items(self, value: Value) -> Iterator[Value]:
        """What iterating over a value gives, at most twice where nobody knows."""
        return self.doors.items(self, value)

    # -- where it is -----------------------------------------------------------------------------------

    @property
    def frame(self) -> Frame:
        """The innermost frame."""
        return self.frames[-1]

    def place(self) -> Place:
        """The statement that runs."""
        frame = self.frames[-1]
        return Place(frame.facts.key, frame.facts.statements[frame.statement].span)

    def step(self) -> None:
        """Spend a step. Raises `Lost`."""
        self.steps += 1
        if self.steps > self.budget.steps:
            raise self.exhausted("the program takes more steps than are looked at")

    def lost(self, reason: str) -> Lost:
        """The end of this path, at the present place."""
        return Lost(reason, self.place())

    def exhausted(self, reason: str) -> Exhausted:
        """The end of the budget of this path, at the present place."""
        return Exhausted(reason, self.place())

    def number(self, kind: str) -> int:
        """The number of a new object of a kind; making one changes the state."""
        self.version += 1
        self.made[kind] = self.made.get(kind, 0) + 1
        return self.made[kind]

    def stack(self) -> tuple[Level, ...]:
        """The frames, the outermost first."""
        return tuple(
            Level(self.numbers.setdefault(one, len(self.numbers)), one.facts.key, one.scope.id, one.statement)
            for one in self.frames
        )

    # -- what it writes down ---------------------------------------------------------------------------

    def event(self, kind: str, words: str, *what: object) -> None:
        """Write down something that both versions of the program must do."""
        self.log.events.append(Event(kind, what, self.place(), words))

    def fault(self, kind: str, words: str, *what: object) -> None:
        """Write down something that a right program does not do."""
        self.log.faults.append(Event(kind, what, self.place(), words))

    # -- decisions -------------------------------------------------------------------------------------

    def fork(self, options: int, words: Sequence[str]) -> int:
        """The option to take where nothing decides. Raises `Lost` after too many turns."""
        index = len(self.log.turns)
        if index >= self.budget.turns:
            raise self.exhausted("the program has more branches than are looked at")
        taken = self.decisions[index] if index < len(self.decisions) else 0
        frame = self.frames[-1]
        label = (frame.facts.key, frame.scope.name, frame.facts.statements[frame.statement].kind)
        if taken >= options:
            raise self.lost("the two programs go different ways")
        self.log.turns.append(Turn(label, options, taken, self.place(), words[taken]))
        return taken

    def may_fail(self, at: object, kind: str, words: Sequence[str]) -> None:
        """Raise what the program handles, on one of two paths; of the same place only once."""
        if self.trying and at not in self.raised_at:
            self.raised_at.add(at)
            if self.fork(2, words):
                raise Raised(Raising(kind))

    def truth_of(self, unknown: Unknown) -> bool:
        """Whether an unknown value counts as true: decided once for each value."""
        known = self.truths.get(unknown)
        if known is None:
            known = self.truths[unknown] = self.fork(2, ("the condition holds", "the condition fails")) == 0
            test = self.tests.get(unknown)
            if test is not None and known is (test[0] in ("Eq", "Is")):
                self.equals[test[1]] = test[2]
        return known

    def mark(self, frame: Frame, names: Sequence[str]) -> Mark:
        """The state right behind a decision, whose branches bind some names."""
        before = tuple((name, frame.names.get(name, _ABSENT)) for name in names)
        return Mark(len(self.log.turns) - 1, self.version, len(self.written), before)

    def join(self, frame: Frame, mark: Mark) -> None:
        """The branches of a decision meet. If the one that was taken came to nothing but plain values, these
        are unknown from here on. Raises `Pruned` if so did all options, and another path goes on from here.
        """
        bound = [(name, old, frame.names.get(name, _ABSENT)) for name, old in mark.names]
        changed = [(name, old, new) for name, old, new in bound if old is not new]
        if self.version != mark.version or not all(
            old is _ABSENT or is_plain(old) for _, old, new in changed
        ):
            return
        if not all(is_plain(new) for _, _, new in changed if new is not _ABSENT):
            return
        prefix = tuple(turn.taken for turn in self.log.turns[: mark.turn])
        turn = self.log.turns[mark.turn]
        if turn.taken == 0:
            self.quiet.add(prefix)
        for name, _, _ in bound:
            if name in frame.names and is_plain(frame.names[name]):
                frame.names[name] = Unknown(name)
        for owner, key in self.written[mark.written :]:
            forget(owner, key)
        if turn.taken and mark.turn == len(self.decisions) - 1 and self.may_prune(prefix):
            raise Pruned(mark.turn)

    def wrote(self, owner: object, key: Value, value: Value) -> None:
        """Something was stored in an object. Plain values may be forgotten, others change the state."""
        if is_plain(value):
            self.written.append((owner, key))
        else:
            self.version += 1


def is_plain(value: Value) -> bool:
    """Whether a value is a constant or unknown, or consists of such."""
    if isinstance(value, tuple):
        return all(map(is_plain, value))
    return isinstance(value, (Unknown, External, *PLAIN))


def forget(owner: object, key: Value) -> None:
    """Make unknown what was stored in an object."""
    if isinstance(owner, Table):
        owner.vague = True
        if key in owner.items:
            owner.items[key] = Unknown()
    elif isinstance(owner, dict):
        owner[key] = Unknown()
    else:
        owner.vague = True  # type: ignore[attr-defined] # a Sequence
