"""Findings in code that is never run are none, whatever the rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from npu_migrate.findings import Finding
from npu_migrate.index.facts import FileFacts
from npu_migrate.places import Place, Span
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.dead_code import is_dead


def reached(project: Project, findings: Iterable[Finding]) -> Iterator[Finding]:
    """The findings whose place is not ruled out by constants in sight."""
    return (finding for finding in findings if not _is_dead(project, finding.place))


@once
def _is_dead(project: Project, place: Place) -> bool:
    facts = project.facts(place.path)
    ref = None if facts is None else _expression_at(project, facts, place.span)
    return ref is not None and is_dead(project, ref)


def _expression_at(project: Project, facts: FileFacts, span: Span) -> Ref | None:
    """The smallest expression around a place, in its statement."""
    around = [statement for statement in facts.statements if _contains(statement.span, span)]
    if not around:
        return None
    sites = project.sites(facts.key, around[-1].id).values()
    holding = [site for site in sites if _contains(site.expr.span, span)]
    if not holding:
        return None
    inner = max(holding, key=lambda site: (*site.expr.span[:2], *(-end for end in site.expr.span[2:])))
    return project.ref_of(facts.key, inner)


def _contains(outer: Span, inner: Span) -> bool:
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]
