"""Plans as text, to be kept: JSON, in which each path is relative to the root."""

from __future__ import annotations

import json
from dataclasses import astuple
from typing import Any

from npu_migrate.engine.diagnosing import CompiledFix, Label, PlannedFinding
from npu_migrate.engine.job import Plan
from npu_migrate.findings import Applicability, FileCounts, Finding, Related, Severity
from npu_migrate.places import Place, Span
from npu_migrate.rewrite.edits import OffsetEdit


def plan_to_text(plan: Plan, prefix: str) -> bytes:
    """`plan` as text; every key in it begins with `prefix`, which is left out.

    The rewrites of the findings are left out too: what became of them are the fixes. Raises `ValueError` for
    a key that does not begin with `prefix`.
    """

    def short(key: str) -> str:
        if not key.startswith(prefix):
            raise ValueError(f"{key} does not lie below {prefix}")
        return key[len(prefix) :]

    def finding(planned: PlannedFinding) -> list[Any]:
        one, fix = planned.finding, planned.fix
        return [
            one.code,
            one.severity.value,
            one.message,
            short(one.place.path),
            one.place.span,
            [(short(other.place.path), other.place.span, other.message) for other in one.related],
            [short(key) for key in one.programs],
            None
            if fix is None
            else (
                fix.applicability.value,
                fix.title,
                [(short(edit.path), edit.start, edit.end, edit.text) for edit in fix.edits],
                fix.verified,
            ),
            planned.suppressed,
        ]

    content = [[finding(one) for one in plan.findings], dict(plan.labels), astuple(plan.files)]
    return json.dumps(content, separators=(",", ":")).encode()


def plan_from_text(text: bytes, prefix: str) -> Plan:
    """The plan that `plan_to_text` has made `text` of, for files below `prefix`."""
    findings, labels, counts = json.loads(text)

    def planned(
        code: str,
        severity: int,
        message: str,
        path: str,
        span: list[int],
        related: list[tuple[str, list[int], str]],
        programs: list[str],
        fix: tuple[str, str, list[tuple[str, int, int, str]], bool | None] | None,
        suppressed: bool,
    ) -> PlannedFinding:
        finding = Finding(
            code,
            Severity(severity),
            message,
            Place(prefix + path, _span(span)),
            tuple(Related(Place(prefix + other, _span(at)), text) for other, at, text in related),
            None,
            tuple(prefix + key for key in programs),
        )
        return PlannedFinding(finding, None if fix is None else _fix(prefix, *fix), suppressed)

    return Plan(
        tuple(planned(*one) for one in findings),
        {code: Label(name, tuple(sources)) for code, (name, sources) in labels.items()},
        FileCounts(*counts),
    )


def _span(numbers: list[int]) -> Span:
    first, left, last, right = numbers
    return first, left, last, right


def _fix(
    prefix: str,
    applicability: str,
    title: str,
    edits: list[tuple[str, int, int, str]],
    verified: bool | None,
) -> CompiledFix:
    return CompiledFix(
        Applicability(applicability),
        title,
        tuple(OffsetEdit(prefix + path, start, end, text) for path, start, end, text in edits),
        verified,
    )
