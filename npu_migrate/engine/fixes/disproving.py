"""Findings that a run of the program disproves.

An iterator that no session takes elements of needs no initializer. What the text shows of that ends where
tensors travel: a batch may come back from a function only to have its shape read. An abstract run knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from npu_migrate.abstract_run.judging import Originals, paths_of
from npu_migrate.abstract_run.log import Level, Path
from npu_migrate.abstract_run.machine.machine import FAILS
from npu_migrate.findings import Finding
from npu_migrate.places import Place
from npu_migrate.project.project import Project

_UNINITIALIZED_ITERATOR = "NPU102"


def without_disproved(originals: Originals, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings, but those of iterators of which no path of any program takes an element too early.

    All programs have to be followed to their ends, without an error, and one of them has to make the
    iterator.
    """
    return tuple(one for one in findings if not _is_disproved(originals, one))


def _is_disproved(originals: Originals, finding: Finding) -> bool:
    if finding.code != _UNINITIALIZED_ITERATOR:
        return False
    paths: list[Path] = []
    for entry in originals.project.programs_of(finding.place.path):
        followed = paths_of(originals, entry)
        if followed is None or any(one.log.end.startswith(FAILS) for one in followed):
            return False
        paths.extend(followed)
    made = [_made_at(originals.project, path, finding.place) for path in paths]
    return any(made) and not any(_is_taken_early(*one) for one in zip(paths, made, strict=True))


def _made_at(project: Project, path: Path, place: Place) -> Sequence[int]:
    """The numbers of the iterators that a path makes in the statement at `place`."""
    seen = path.log.seen.iterators
    return tuple(number for number, made in seen.items() if _has(project, made.stack[-1], place))


def _has(project: Project, level: Level, place: Place) -> bool:
    facts = project.facts(level.key)
    if facts is None or level.key != place.path:
        return False
    first, _, last, _ = facts.statements[level.statement].span
    return first <= place.span[0] <= last


def _is_taken_early(path: Path, iterators: Sequence[int]) -> bool:
    return any(number in iterators for number in _taken_early(path))


def _taken_early(path: Path) -> Iterator[object]:
    return (fault.what[-1] for fault in path.log.faults if fault.kind == "uninitialized")
