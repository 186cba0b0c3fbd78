"""The Code Quality report of GitLab, for its merge request widget."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import Any

from npu_migrate.findings import Diagnostic, Report, Severity
from npu_migrate.places import Position
from npu_migrate.reports.characters import portable
from npu_migrate.reports.notebooks import message_with_cell
from npu_migrate.reports.surroundings import Surroundings

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def gitlab_report(report: Report, _: Surroundings) -> str:
    """The findings that count as a JSON array, ending with a newline. It is pure ASCII."""
    seen: Counter[str] = Counter()
    issues = []
    for one in report.counted:
        issues.append(_issue(one, _unique(one.fingerprint, seen[one.fingerprint])))
        seen[one.fingerprint] += 1
    return json.dumps(issues, indent=2) + "\n"


def _unique(fingerprint: str, occurrence: int) -> str:
    """GitLab shows one issue of those with the same fingerprint, so a repeated one becomes another."""
    if not occurrence:
        return fingerprint
    return hashlib.sha256(f"{fingerprint}\0{occurrence}".encode()).hexdigest()[: len(fingerprint)]


def _issue(one: Diagnostic, fingerprint: str) -> dict[str, Any]:
    return {
        "description": portable(f"{one.code} {message_with_cell(one)}"),
        "check_name": one.name,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[one.severity],
        "location": {
            "path": portable(one.path),
            "positions": {"begin": _position(one.range.start), "end": _position(one.range.end)},
        },
    }


def _position(position: Position) -> dict[str, int]:
    return {"line": position.line, "column": position.column}
