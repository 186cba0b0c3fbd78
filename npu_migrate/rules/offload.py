"""What the rules on iteration offload share: how they speak of N, and one finding per place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from npu_migrate.findings import Finding, Place, Rewrite
from npu_migrate.knowledge import npu
from npu_migrate.project.project import Project
from npu_migrate.project.value import Known, Value, describe
from npu_migrate.rules.weighing import Verdict, weigh


def weakest(value: Value) -> Known:
    """The alternative that a finding has to speak of: a default if there is one."""
    return next((known for known in value.alternatives if known.is_default), value.alternatives[0])


def described(project: Project, n: Known) -> str:
    """``iterations_per_loop = 100, the default of flag …``."""
    return describe(project, npu.ITERATIONS_PER_LOOP, n)


def judged(
    project: Project,
    code: str,
    place: Place,
    judge: Callable[[str], Verdict | None],
    rewrite: Rewrite | None = None,
) -> Iterator[Finding]:
    """The finding at `place` if `judge` says so of a program of its file; nothing outside the targets."""
    weighed = weigh(project, place.path, judge) if place.path in project.targets else None
    if weighed is not None:
        verdict, programs = weighed
        yield Finding(code, verdict.severity, verdict.message, place, verdict.related, rewrite, programs)


def one_per_place(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Of several findings at one place the worst, with the programs of all."""
    by_place: dict[Place, Finding] = {}
    for finding in findings:
        known = by_place.get(finding.place)
        if known is None:
            by_place[finding.place] = finding
        else:
            worse = finding if finding.severity > known.severity else known
            programs = tuple(sorted({*known.programs, *finding.programs}))
            by_place[finding.place] = replace(worse, programs=programs)
    yield from by_place.values()
