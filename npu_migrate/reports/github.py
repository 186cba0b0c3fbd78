"""Workflow commands of GitHub Actions: each finding becomes an annotation beside its line."""

from __future__ import annotations

import posixpath

from npu_migrate.findings import Diagnostic, Report, Severity
from npu_migrate.reports.characters import portable
from npu_migrate.reports.notebooks import message_with_cell
from npu_migrate.reports.surroundings import Surroundings

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = {**_DATA, ord(":"): "%3A", ord(","): "%2C"}


def github_report(report: Report, surroundings: Surroundings) -> str:
    """One command a line for each finding that counts; empty when none does."""
    return "".join(f"{_command(one, surroundings.folder)}\n" for one in report.counted)


def _command(one: Diagnostic, folder: str) -> str:
    start, end = one.range.start, one.range.end
    # A runner makes absolute paths relative to its checkout, but it does not resolve "..".
    path = posixpath.normpath(f"{folder}/{one.path}") if one.path.startswith("../") else one.path
    properties = {"file": path, "line": str(start.line), "endLine": str(end.line)}
    if start.line == end.line:
        # Runners refuse columns on several lines. As in `Range`, the end is exclusive.
        properties |= {"col": str(start.column), "endColumn": str(end.column)}
    properties["title"] = f"{one.code} {one.name}"
    shown = ",".join(f"{name}={portable(value).translate(_PROPERTY)}" for name, value in properties.items())
    message = portable(message_with_cell(one)).translate(_DATA)
    return f"::{_COMMANDS[one.severity]} {shown}::{message}"
