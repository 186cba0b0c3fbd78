"""What the rules on iteration offload share: how they speak of N, and one finding per place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from npu_migrate.findings import Finding
from npu_migrate.knowledge import npu
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.semantics.values.value import Known, describe


def described(project: Project, n: Known) -> str:
    """``iterations_per_loop = 100 (the default of flag …)``."""
    return describe(project, npu.ITERATIONS_PER_LOOP, n)


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
