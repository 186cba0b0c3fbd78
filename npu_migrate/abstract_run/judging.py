"""The judge: a program is run before and after an edit, path by path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from npu_migrate.abstract_run.changes import Changed, Touched
from npu_migrate.abstract_run.comparing import APART, IMPOSSIBLE, LOST, REFUTED, Difference, compared
from npu_migrate.abstract_run.coverage import Coverage
from npu_migrate.abstract_run.libraries.dispatch import Libraries
from npu_migrate.abstract_run.log import Log, Path, Turn
from npu_migrate.abstract_run.machine.machine import DOORS, OUT_OF_SIGHT, follow
from npu_migrate.abstract_run.machine.run import Run
from npu_migrate.abstract_run.program import ProgramFiles
from npu_migrate.findings import Related
from npu_migrate.programs.programs import Programs
from npu_migrate.project.project import Project

VERIFIED = "verified"
_MOST_PATHS = 160
_MOST_STEPS = 24_000
"""Of all paths of a program together."""
_MOST_QUIET_STEPS = 8_000
"""Of all paths, if neither a pipeline nor a session has been seen on any of them."""
_MOST_FILES = 60
"""A program of more files is not looked at: importing them alone would cost more than it can bring."""
_MOST_FILES_TWICE = 12
_MOST_TWICE = 2
_MOST_LOST = 4
"""So many programs that cannot be followed are enough: the others of the same tree hardly can."""

_TOO_MANY_PATHS = "the program has more paths than are looked at"


class Verdict(NamedTuple):
    """What the judge says of an edit: ``verified``, ``refuted`` with the path that shows it, or ``lost``.

    `in_sight` are the entries of the programs of which every path that was looked at could be followed,
    `breaks` tells of a refuted edit that the program certainly fails with it.
    """

    kind: str
    reason: str = ""
    path: tuple[Related, ...] = ()
    paths: int = 0
    steps: int = 0
    in_sight: frozenset[str] = frozenset()
    breaks: bool = False


def smallest_first(programs: Programs, entries: Iterable[str]) -> list[str]:
    """Programs in the order in which they are looked at: small ones cost less, and are lost less often."""
    return sorted(entries, key=lambda entry: (len(programs.by_entry[entry].files), entry))


def can_be_followed(project: Project, entry: str) -> bool:
    """Whether the program of an entry is small enough to be looked at."""
    return len(project.programs.by_entry[entry].files) <= _MOST_FILES


class Originals:
    """The programs of a project before any edit, with what came of their paths.

    Paths that `skip` what they cannot follow are for a second look: see `Run.skips`.
    """

    def __init__(self, project: Project, *, skip: bool = False) -> None:
        self.project = project
        self.skip = skip
        self._programs: dict[str, ProgramFiles] = {}
        self._stuck: dict[str, str] = {}
        self._given_up: dict[tuple[str, int], str] = {}
        self._paths: dict[tuple[str, tuple[int, ...], frozenset[tuple[int, ...]]], Path] = {}

    @cached_property
    def at_a_second_look(self) -> Originals:
        """The same programs, whose paths go on behind what cannot be followed."""
        return Originals(self.project, skip=True)

    def program(self, entry: str) -> ProgramFiles:
        """The program of an entry."""
        return self._programs.setdefault(entry, ProgramFiles(self.project, entry))

    def path(self, entry: str, decisions: tuple[int, ...], prunable: frozenset[tuple[int, ...]]) -> Path:
        """A path of a program, which is the same for all edits that have come by no path before it.

        `prunable` are the decisions behind which a path may end that comes to nothing.
        """
        question = (entry, decisions, prunable)
        known = self._paths.get(question)
        if known is None:
            known = _followed(self.program(entry), decisions, prunable.__contains__, skips=self.skip)
            self._paths[question] = known
            if known.log.stuck_in:
                self._stuck.setdefault(known.log.stuck_in, known.log.reason)
        return known

    def is_in_sight(self, entry: str) -> bool:
        """Whether paths of a program have been followed, and none of them got stuck."""
        ends = {path.log.end for (of, _, _), path in self._paths.items() if of == entry}
        return bool(ends) and OUT_OF_SIGHT not in ends

    def given_up(self, entry: str) -> str:
        """Why a program is lost without being run: it imports a file in which another one got stuck.

        Empty for a program that is worth running.
        """
        question = (entry, len(self._stuck))
        if question not in self._given_up:
            program = self.program(entry)
            reasons = (why for key, why in self._stuck.items() if program.always_imports(key))
            self._given_up[question] = next(reasons, "")
        return self._given_up[question]


def judge(
    originals: Originals, after: Project, entries: Iterable[str], changes: Mapping[str, Changed]
) -> Verdict:
    """Judge an edit in all programs that it concerns.

    It is refuted if a path of any program shows that, lost if the end of a path is out of sight, and verified
    otherwise.
    """
    touched = Touched(originals.project, changes)
    coverage = Coverage(after, {key: one.after for key, one in changes.items()})
    lost: Verdict | None = None
    in_sight: set[str] = set()
    paths = steps = times_lost = 0
    for entry in smallest_first(originals.project.programs, entries):
        if not can_be_followed(originals.project, entry):
            lost = lost or Verdict(LOST, "the program has more files than are looked at")
            continue
        verdict = _Pair(originals, ProgramFiles(after, entry), touched, coverage).judged()
        paths += verdict.paths
        steps += verdict.steps
        if verdict.kind == REFUTED:
            return verdict._replace(paths=paths, steps=steps)
        if verdict.kind != LOST or verdict.reason == _TOO_MANY_PATHS:
            in_sight.add(entry)
        if verdict.kind == LOST:
            lost = lost or verdict
            times_lost += 1
            if times_lost == _MOST_LOST or steps > _MOST_STEPS:
                break
    if lost is None:
        missing = coverage.missing()
        if missing is None:
            return Verdict(VERIFIED, paths=paths, steps=steps)
        lost = Verdict(LOST, missing)
    return lost._replace(paths=paths, steps=steps, in_sight=frozenset(in_sight))


def worth_a_second_look(project: Project, entries: Iterable[str]) -> tuple[str, ...]:
    """The programs that are small enough to be looked at twice, up to a few."""
    small = (one for one in entries if len(project.programs.by_entry[one].files) <= _MOST_FILES_TWICE)
    return tuple(islice(small, _MOST_TWICE))


def judge_again(
    originals: Originals,
    after: Project,
    entries: Iterable[str],
    changes: Mapping[str, Changed],
    lost: Verdict,
) -> Verdict:
    """A second look at an edit that was `lost`: behind what cannot be followed it may still be refuted.

    Programs in which everything can be followed look the same again.
    """
    stuck = [entry for entry in entries if entry not in lost.in_sight]
    if not stuck:
        return lost
    again = judge(originals.at_a_second_look, after, stuck, changes)
    return again if again.kind == REFUTED else lost


def is_lost_before(originals: Originals, entries: Iterable[str], touched: Touched) -> bool:
    """Whether no program can be followed up to the code that an edit changes, whatever the edit is."""
    times_lost = 0
    for entry in smallest_first(originals.project.programs, entries):
        is_lost = originals.given_up(entry) != ""
        for path in _paths(originals, entry):
            if (path.log.events or path.log.end != OUT_OF_SIGHT) and touched.entered_by(path):
                return False
            is_lost = path.log.end == OUT_OF_SIGHT
        if is_lost:
            times_lost += 1
            if times_lost == _MOST_LOST:
                break
    return True


def paths_of(originals: Originals, entry: str) -> tuple[Path, ...] | None:
    """All paths of a program; None if one of them cannot be followed to its end."""
    paths = tuple(_paths(originals, entry))
    if not paths or paths[-1].log.end == OUT_OF_SIGHT or following(paths[-1].log.turns) is not None:
        return None
    return paths


def _paths(originals: Originals, entry: str) -> Iterator[Path]:
    """The paths of a program, up to the first one whose end is out of sight."""
    if not can_be_followed(originals.project, entry) or originals.given_up(entry):
        return
    quiet: set[tuple[int, ...]] = set()
    decisions: tuple[int, ...] | None = ()
    count = steps = 0
    while decisions is not None and count < _MOST_PATHS and steps <= _MOST_STEPS:
        path = originals.path(entry, decisions, frozenset(quiet) if decisions else frozenset())
        yield path
        count += 1
        steps += 2 * path.steps
        quiet |= path.quiet
        decisions = None if path.log.end == OUT_OF_SIGHT else following(path.log.turns)


@dataclass
class _Pair:
    """A program before and after, and what its paths have shown so far."""

    originals: Originals
    after: ProgramFiles
    touched: Touched
    coverage: Coverage
    quiet_before: set[tuple[int, ...]] = field(default_factory=set)
    quiet_after: set[tuple[int, ...]] = field(default_factory=set)
    steps: int = 0

    def judged(self) -> Verdict:
        """The verdict on one program."""
        reason = self.originals.given_up(self.after.entry)
        if reason:
            return Verdict(LOST, reason)
        start = self.originals.path(self.after.entry, (), frozenset())
        if start.log.end == OUT_OF_SIGHT and not start.log.events:
            # Nothing that an edit can change has been reached.
            return Verdict(LOST, start.log.reason, (), 1, start.steps)
        decisions: tuple[int, ...] | None = ()
        eventful = False
        paths = 0
        while decisions is not None:
            paths += 1
            if paths > _MOST_PATHS or self.steps > (_MOST_STEPS if eventful else _MOST_QUIET_STEPS):
                return Verdict(LOST, _TOO_MANY_PATHS, (), paths, self.steps)
            old, new, difference = self._path(decisions, prune=True)
            eventful = eventful or bool(old.events or new.events)
            if difference.kind == APART:
                old, new, difference = self._path(decisions, prune=False)
            if difference.kind == REFUTED:
                told = _told(new, difference)
                return Verdict(REFUTED, difference.words, told, paths, self.steps, breaks=difference.breaks)
            if difference.kind in (LOST, APART):
                return Verdict(LOST, difference.words, _told(new, difference), paths, self.steps)
            turns = old.turns if difference.kind == IMPOSSIBLE else new.turns
            decisions = following(turns)
        return Verdict(VERIFIED, paths=paths, steps=self.steps)

    def _path(self, decisions: tuple[int, ...], *, prune: bool) -> tuple[Log, Log, Difference]:
        prunable = frozenset(self.quiet_before & self.quiet_after) if prune and decisions else frozenset()
        first = self.originals.path(self.after.entry, decisions, prunable)
        if self.touched.entered_by(first):
            second = _followed(self.after, decisions, prunable.__contains__, skips=self.originals.skip)
        else:
            second = first
        self.steps += first.steps + second.steps
        self.quiet_before |= first.quiet
        self.quiet_after |= second.quiet
        difference = compared(first.log, second.log)
        if difference.kind not in (IMPOSSIBLE, APART):
            self.coverage.add(second)
        return first.log, second.log, difference


def _followed(
    program: ProgramFiles,
    decisions: tuple[int, ...],
    may_prune: Callable[[tuple[int, ...]], bool],
    *,
    skips: bool,
) -> Path:
    run = Run(program, DOORS, decisions, may_prune, skips)
    run.libraries = Libraries(run)
    log = follow(run, program.entry)
    ran, calls = frozenset(run.statements_run), frozenset(run.calls_run)
    path = Path(log, ran, calls, frozenset(run.cut), frozenset(run.quiet), run.steps)
    run.let_go()
    return path


def following(turns: Sequence[Turn]) -> tuple[int, ...] | None:
    """The decisions of the next path: the last one that has another option takes it; None after the last."""
    for index in range(len(turns) - 1, -1, -1):
        if turns[index].taken + 1 < turns[index].options:
            return (*(turn.taken for turn in turns[:index]), turns[index].taken + 1)
    return None


def _told(log: Log, difference: Difference) -> tuple[Related, ...]:
    """A path for people: what was decided on it, what happened with iterators and sessions, how it ends."""
    told = [Related(turn.place, f"on this path, {turn.words}") for turn in log.turns]
    told += [
        Related(event.place, event.words) for event in log.events if event.kind in ("iterator", "session")
    ]
    if difference.place is not None:
        told.append(Related(difference.place, difference.words))
    return tuple(told)
