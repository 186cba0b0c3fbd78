"""The judge: a program is run before and after an edit, path by path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from npu_migrate.abstract_run.comparing import APART, IMPOSSIBLE, LOST, REFUTED, Difference, compared
from npu_migrate.abstract_run.coverage import Coverage, LineRange
from npu_migrate.abstract_run.libraries.dispatch import Libraries
from npu_migrate.abstract_run.log import Log, Turn
from npu_migrate.abstract_run.machine.machine import DOORS, OUT_OF_SIGHT, follow
from npu_migrate.abstract_run.machine.run import Run
from npu_migrate.abstract_run.program import ProgramFiles
from npu_migrate.findings import Related
from npu_migrate.project.project import Project

VERIFIED = "verified"
_MOST_PATHS = 160
_MOST_STEPS = 24_000
"""Of all paths of a program together."""
_MOST_FILES = 120
"""A program of more files is not looked at: importing them alone would cost more than it can bring."""
_MOST_LOST = 4
"""So many programs that cannot be followed are enough: the others of the same tree hardly can."""


class Verdict(NamedTuple):
    """What the judge says of an edit: ``verified``, ``refuted`` with the path that shows it, or ``lost``."""

    kind: str
    reason: str = ""
    path: tuple[Related, ...] = ()
    paths: int = 0
    steps: int = 0


def can_be_followed(project: Project, entry: str) -> bool:
    """Whether the program of an entry is small enough to be looked at."""
    return len(project.programs.by_entry[entry].files) <= _MOST_FILES


class Originals:
    """The programs of a project before any edit, with what the first path of each came to."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._programs: dict[str, ProgramFiles] = {}
        self._first: dict[str, Run] = {}

    def program(self, entry: str) -> ProgramFiles:
        """The program of an entry."""
        return self._programs.setdefault(entry, ProgramFiles(self.project, entry))

    def first_path(self, entry: str) -> Run:
        """The first path of a program, which is the same for all edits."""
        known = self._first.get(entry)
        if known is None:
            known = self._first[entry] = _followed(self.program(entry), (), lambda _: False)
        return known


def judge(
    originals: Originals, after: Project, entries: Iterable[str], edited: Mapping[str, Sequence[LineRange]]
) -> Verdict:
    """Judge an edit in all programs that it concerns.

    `edited` has the lines of each file, as it is after, that the edit has changed or added. It is refuted if
    a path of any program shows that, lost if the end of a path is out of sight, and verified otherwise.
    """
    coverage = Coverage(after, edited)
    lost: Verdict | None = None
    paths = steps = times_lost = 0
    for entry in entries:
        if not can_be_followed(originals.project, entry):
            lost = lost or Verdict(LOST, "the program has more files than are looked at")
            continue
        verdict = _Pair(originals, ProgramFiles(after, entry), coverage).judged()
        paths += verdict.paths
        steps += verdict.steps
        if verdict.kind == REFUTED:
            return verdict._replace(paths=paths, steps=steps)
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
    return lost._replace(paths=paths, steps=steps)


@dataclass
class _Pair:
    """A program before and after, and what its paths have shown so far."""

    originals: Originals
    after: ProgramFiles
    coverage: Coverage
    quiet_before: set[tuple[int, ...]] = field(default_factory=set)
    quiet_after: set[tuple[int, ...]] = field(default_factory=set)
    steps: int = 0

    def judged(self) -> Verdict:
        """The verdict on one program."""
        start = self.originals.first_path(self.after.entry)
        if start.log.end == OUT_OF_SIGHT and not start.log.events:
            # Nothing that an edit can change has been reached.
            return Verdict(LOST, start.log.reason, (), 1, start.steps)
        decisions: tuple[int, ...] | None = ()
        paths = 0
        while decisions is not None:
            paths += 1
            if paths > _MOST_PATHS or self.steps > _MOST_STEPS:
                return Verdict(LOST, "the program has more paths than are looked at", (), paths, self.steps)
            old, new, difference = self._path(decisions, prune=True)
            if difference.kind == APART:
                old, new, difference = self._path(decisions, prune=False)
            if difference.kind == REFUTED:
                return Verdict(REFUTED, difference.words, _told(new, difference), paths, self.steps)
            if difference.kind in (LOST, APART):
                return Verdict(LOST, difference.words, _told(new, difference), paths, self.steps)
            turns = old.turns if difference.kind == IMPOSSIBLE else new.turns
            decisions = following(turns)
        return Verdict(VERIFIED, paths=paths, steps=self.steps)

    def _path(self, decisions: tuple[int, ...], *, prune: bool) -> tuple[Log, Log, Difference]:
        def may_prune(prefix: tuple[int, ...]) -> bool:
            return prune and prefix in self.quiet_before and prefix in self.quiet_after

        entry = self.after.entry
        if decisions:
            first = _followed(self.originals.program(entry), decisions, may_prune)
        else:
            first = self.originals.first_path(entry)
        second = _followed(self.after, decisions, may_prune)
        self.steps += first.steps + second.steps
        self.quiet_before |= first.quiet
        self.quiet_after |= second.quiet
        difference = compared(first.log, second.log)
        if difference.kind not in (IMPOSSIBLE, APART):
            self.coverage.add(second)
        return first.log, second.log, difference


def _followed(
    program: ProgramFiles, decisions: tuple[int, ...], may_prune: Callable[[tuple[int, ...]], bool]
) -> Run:
    run = Run(program, DOORS, decisions, may_prune)
    run.libraries = Libraries(run)
    follow(run, program.entry)
    return run


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
