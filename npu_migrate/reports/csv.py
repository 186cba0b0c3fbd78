"""Comma-separated values, for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from npu_migrate.findings import Diagnostic, Report
from npu_migrate.reports.characters import portable
from npu_migrate.reports.notebooks import place_for_people
from npu_migrate.reports.surroundings import Surroundings

HEADER = (
    "path",
    "cell",
    "line",
    "column",
    "end_line",
    "end_column",
    "code",
    "name",
    "severity",
    "message",
    "fix",
    "programs",
    "fingerprint",
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def csv_report(report: Report, _: Surroundings) -> str:
    """The findings that count, one a row, under a header; rows end with CR LF as RFC 4180 says.

    No cell begins with a character that spreadsheets take for the start of a formula: a path gets ``./`` in
    front, and other text an apostrophe.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(HEADER)
    writer.writerows(map(_row, report.counted))
    return text.getvalue()


def _row(one: Diagnostic) -> Iterable[str | int]:
    place = place_for_people(one)
    return (
        _path(one.path),
        "" if one.cell is None else one.cell.number,
        place.start.line,
        place.start.column,
        place.end.line,
        place.end.column,
        one.code,
        one.name,
        one.severity.label,
        _text(one.message),
        "" if one.fix is None else one.fix.applicability.value,
        _text(" ".join(map(_path, one.programs))),
        one.fingerprint,
    )


def _path(path: str) -> str:
    path = portable(path)
    return f"./{path}" if path.startswith(_FORMULA) else path


def _text(text: str) -> str:
    text = portable(text)
    return f"'{text}" if text.startswith(_FORMULA) else text
