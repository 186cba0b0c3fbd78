"""The JSON report; its form is published in ``schema/report-v1.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from importlib import resources
from typing import Any

from npu_migrate.findings import Applicability, Diagnostic, Fix, Rehearsal, Report, Severity
from npu_migrate.places import Range
from npu_migrate.reports.notebooks import place_for_people
from npu_migrate.reports.surroundings import Surroundings
from npu_migrate.version import __version__

VERSION = 1


def json_report(report: Report, _: Surroundings) -> str:
    """The report as JSON text, ending with a newline. It is pure ASCII, so any stream can carry it."""
    return json.dumps(report_document(report), indent=2) + "\n"


def report_document(report: Report) -> dict[str, Any]:
    """The report as values that `json` can write."""
    counted = report.counted
    fixable = [one.fix.applicability for one in counted if one.fix]
    files = report.files
    accepted = {"baselined": sum(one.baselined for one in report.diagnostics)} if report.baseline else {}
    seen = {} if report.rehearsal is None else {"seen": "run"}
    return {
        "version": VERSION,
        "tool": {"name": "npu-migrate", "version": __version__},
        "findings": [{**_finding(one), **seen} for one in report.diagnostics],
        "files": {
            "discovered": files.discovered,
            "skipped_by_gate": files.skipped_by_gate,
            "context": files.context,
            "analysed": files.analysed,
            "failed": files.failed,
            "changed": files.changed,
        },
        "fixed": {"safe": report.fixed_safe, "unsafe": report.fixed_unsafe},
        "summary": {
            **{one.label: sum(found.severity is one for found in counted) for one in reversed(Severity)},
            "suppressed": sum(one.suppressed for one in report.diagnostics),
            **accepted,
            "fixable_safe": fixable.count(Applicability.SAFE),
            "fixable_unsafe": fixable.count(Applicability.UNSAFE),
        },
        **({} if report.rehearsal is None else _rehearsal(report.rehearsal)),
    }


def _rehearsal(rehearsal: Rehearsal) -> dict[str, Any]:
    compared = rehearsal.compared
    if compared is None:
        return {"runs": rehearsal.runs}
    difference = compared.first_difference
    return {
        "runs": rehearsal.runs,
        "compared": {
            "steps": compared.steps,
            "first_difference": None if difference is None else asdict(difference),
        },
    }


def report_schema() -> Mapping[str, Any]:
    """The JSON schema that every report of this version meets."""
    text = resources.files("npu_migrate.reports").joinpath("schema/report-v1.json").read_text("utf-8")
    schema: Mapping[str, Any] = json.loads(text)
    return schema


def _finding(diagnostic: Diagnostic) -> dict[str, Any]:
    return {
        "code": diagnostic.code,
        "name": diagnostic.name,
        "severity": diagnostic.severity.label,
        "message": diagnostic.message,
        "path": diagnostic.path,
        "cell": None if diagnostic.cell is None else diagnostic.cell.number,
        "range": _range(place_for_people(diagnostic)),
        "related": [
            {"path": one.path, "range": _range(one.range), "message": one.message}
            for one in diagnostic.related
        ],
        "fingerprint": diagnostic.fingerprint,
        "suppressed": diagnostic.suppressed,
        **({"baselined": True} if diagnostic.baselined else {}),
        "programs": list(diagnostic.programs),
        "fix": None if diagnostic.fix is None else _fix(diagnostic.fix),
        "sources": list(diagnostic.sources),
    }


def _fix(fix: Fix) -> dict[str, Any]:
    return {
        "applicability": fix.applicability.value,
        **({} if fix.verified is None else {"verified": fix.verified}),
        "title": fix.title,
        "edits": [{"path": edit.path, "range": _range(edit.range), "text": edit.text} for edit in fix.edits],
    }


def _range(span: Range) -> dict[str, dict[str, int]]:
    return {
        "start": {"line": span.start.line, "column": span.start.column},
        "end": {"line": span.end.line, "column": span.end.column},
    }
