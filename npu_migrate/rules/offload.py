"""What the rules on iteration offload share: how they speak of N, and one finding per place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from npu_migrate.findings import Finding, Related, Severity
from npu_migrate.index.facts import Call
from npu_migrate.knowledge import npu
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.rules.places import last_token
from npu_migrate.rules.weighing import Verdict, judged, lowered_for, telling
from npu_migrate.semantics.values.value import Known, describe, related
from npu_migrate.training.npu.configs import is_offloading
from npu_migrate.training.npu.device_loop import LoopPart, n_of_part


def described(project: Project, n: Known) -> str:
    """``iterations_per_loop = 100 (the default of flag …)``."""
    return describe(project, npu.ITERATIONS_PER_LOOP, n)


def judged_part(
    project: Project, code: str, part: LoopPart, message: str, seen: Related
) -> Iterator[Finding]:
    """The finding about a part of a loop on the device where N is above 1; `seen` is what is wrong with it.

    `message` has a place for ``{n}``. The finding stands at the call's name.
    """
    assert isinstance(part.call.expr, Call)
    place = last_token(part.call.key, part.call.expr.func)

    def judge(program: str) -> Verdict | None:
        value = n_of_part(project, part, program)
        if not value.every(is_offloading):
            return None
        n = telling(value)
        severity = lowered_for(Severity.ERROR, [n])
        return Verdict(severity, message.format(n=described(project, n)), (seen, *related(n)))

    return judged(project, code, place, judge)


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
