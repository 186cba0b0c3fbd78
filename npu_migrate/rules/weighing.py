"""How much a finding weighs: a default lowers it, and of several programs the worst decides."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from npu_migrate.findings import Related, Severity
from npu_migrate.project.project import Project
from npu_migrate.project.value import Known


class Verdict(NamedTuple):
    """What a rule says of one program."""

    severity: Severity
    message: str
    related: tuple[Related, ...] = ()


class Weighed(NamedTuple):
    """The worst verdict over all programs, and the programs that have a verdict at all."""

    verdict: Verdict
    programs: tuple[str, ...]


def lowered_for(severity: Severity, deciding: Iterable[Known]) -> Severity:
    """`severity`, one step down if one of the values that decide is only a default."""
    return severity.lowered() if any(known.is_default for known in deciding) else severity


def weigh(project: Project, key: str, judge: Callable[[str], Verdict | None]) -> Weighed | None:
    """Asks `judge` about every program of the file `key`; None if it finds nothing in any of them."""
    found = [(program, judge(program)) for program in project.programs_of(key)]
    verdicts = [(program, verdict) for program, verdict in found if verdict is not None]
    if not verdicts:
        return None
    worst = max((verdict for _, verdict in verdicts), key=lambda verdict: verdict.severity)
    return Weighed(worst, tuple(program for program, _ in verdicts))
