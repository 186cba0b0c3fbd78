"""The judge: a program is run before and after an edit, path by path."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from npu_migrate.abstract_run.comparing import APART, IMPOSSIBLE, LOST, REFUTED, Difference, compared
from npu_migrate.abstract_run.coverage import Coverage, LineRange
from npu_migrate.abstract_run.libraries.library import Libraries
from npu_migrate.abstract_run.log import Log, Turn
from npu_migrate.abstract_run.machine.machine import DOORS, follow
from npu_migrate.abstract_run.machine.run import Run
from npu_migrate.abstract_run.program import ProgramFiles
from npu_migrate.findings import Related
from npu_migrate.project.project import Project

VERIFIED = "verified"
_MOST_PATHS = 160
_MOST_STEPS = 60_000


class Verdict(NamedTuple):
    """What the judge says of an edit: ``verified``, ``refuted`` with the path that shows it, or ``lost``."""

    kind: str
    reason: str = ""
    path: tuple[Related, ...] = ()
    paths: int = 0
    steps: int = 0


def judge(
    before: Project, after: Project, entries: Iterable[str], edited: Mapping[str, Sequence[LineRange]]
) -> Verdict:
    """Judge an edit in all programs that it concerns.

    `edited` has the lines of each file, as it is after, that the edit has changed or added. It is refuted if
    a path of any program shows that, lost if the end of a path is out of sight, and verified otherwise.
    """
    coverage = Coverage(after, edited)
    lost: Verdict | None = None
    paths = steps = 0
    for entry in entries:
        pair = _Pair(ProgramFiles(before, entry), ProgramFiles(after, entry), coverage)
        verdict = pair.judged()
        paths += verdict.paths
        steps += verdict.steps
        if verdict.kind == REFUTED:
            return verdict._replace(paths=paths, steps=steps)
        if verdict.kind == LOST and lost is None:
            lost = verdict
    if lost is None:
        missing = coverage.missing()
        if missing is None:
            return Verdict(VERIFIED, paths=paths, steps=steps)
        lost = Verdict(LOST, missing)
    return lost._replace(paths=paths, steps=steps)


@dataclass
class _Pair:
    """A program before and after, and what its paths have shown so far."""

    before: ProgramFiles
    after: ProgramFiles
    coverage: Coverage
    quiet_before: set[tuple[int, ...]] = field(default_factory=set)
    quiet_after: set[tuple[int, ...]] = field(default_factory=set)
    steps: int = 0

    def judged(self) -> Verdict:
        """The verdict on one program."""
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

        first, second = (Run(files, DOORS, decisions, may_prune) for files in (self.before, self.after))
        for run in (first, second):
            run.library = Libraries(run)
            follow(run, self.before.entry)
            self.steps += run.steps
        self.quiet_before |= first.quiet
        self.quiet_after |= second.quiet
        difference = compared(first.log, second.log)
        if difference.kind not in (IMPOSSIBLE, APART):
            self.coverage.add(second)
        return first.log, second.log, difference


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
