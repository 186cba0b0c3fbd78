"""How much a finding weighs: a default lowers it, and of several programs the worst decides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from npu_migrate.findings import Finding, Related, Rewrite, Severity
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.semantics.values.value import Known, Value, related


class Verdict(NamedTuple):
    """What a rule says of one program."""

    severity: Severity
    message: str
    related: tuple[Related, ...] = ()


class Weighed(NamedTuple):
    """The worst verdict over all programs, and the programs that have a verdict at all."""

    verdict: Verdict
    programs: tuple[str, ...]


def telling(value: Value) -> Known:
    """The alternative of a known value to speak of: a default if there is one, which lowers the severity."""
    return next((known for known in value.alternatives if known.is_default), value.alternatives[0])


def lowered_for(severity: Severity, deciding: Iterable[Known]) -> Severity:
    """`severity`, one step down if one of the values that decide is only a default."""
    return severity.lowered() if any(known.is_default for known in deciding) else severity


def related_to(deciding: Iterable[Known]) -> tuple[Related, ...]:
    """Where the values that decide come from."""
    return tuple(place for known in deciding for place in related(known))


def weigh(project: Project, key: str, judge: Callable[[str], Verdict | None]) -> Weighed | None:
    """Asks `judge` about every program of the file `key`; None if it finds nothing in any of them."""
    found = [(program, judge(program)) for program in project.programs_of(key)]
    verdicts = [(program, verdict) for program, verdict in found if verdict is not None]
    if not verdicts:
        return None
    worst = max((verdict for _, verdict in verdicts), key=lambda verdict: verdict.severity)
    return Weighed(worst, tuple(program for program, _ in verdicts))


def judged(
    project: Project,
    code: str,
    place: Place,
    judge: Callable[[str], Verdict | None],
    rewrite: Rewrite | None = None,
    *,
    asked: str | None = None,
) -> Iterator[Finding]:
    """The finding at `place` if `judge` finds something in a program; nothing outside the targets.

    `judge` is asked about every program of the file `asked`; left out, of the file that `place` is in.
    """
    if place.path not in project.targets:
        return
    weighed = weigh(project, place.path if asked is None else asked, judge)
    if weighed is not None:
        verdict, programs = weighed
        yield Finding(code, verdict.severity, verdict.message, place, verdict.related, rewrite, programs)
