"""How much was found in each group: a table to decide where to begin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from npu_migrate.findings import Applicability, Diagnostic, Report, Severity
from npu_migrate.languages.saying import Say, english
from npu_migrate.reports.characters import width_of
from npu_migrate.reports.groups.grouping import groups_of, said
from npu_migrate.reports.text import printable

_HEADER = ("total", *(one.label for one in reversed(Severity)), "safe fix", "unsafe fix", "no fix")


def statistics_report(report: Report, by: str = "rule", say: Say = english) -> str:
    """A table with a line for each group of findings that count; empty when none does.

    The columns are how many there are, how many of each severity, how many with a safe fix, an unsafe fix and
    none, and the group. The largest group comes first; `by` is one of `GROUPINGS`.
    """
    groups = sorted(groups_of(report.counted, by), key=lambda group: -len(group[1]))
    rows = [(*_cells(found), printable(said(name, by, say))) for name, found in groups]
    if not rows:
        return ""
    table = [tuple(map(say, (*_HEADER, by))), *rows]
    widths = [max(width_of(row[column]) for row in table) for column in range(len(_HEADER))]
    return "".join(
        f"{'  '.join((*(_right(cell, width) for cell, width in zip(row, widths, strict=False)), row[-1]))}\n"
        for row in table
    )


def _right(cell: str, width: int) -> str:
    return " " * (width - width_of(cell)) + cell


def _cells(found: Sequence[Diagnostic]) -> tuple[str, ...]:
    severities = Counter(one.severity for one in found)
    fixes = Counter(None if one.fix is None else one.fix.applicability for one in found)
    numbers = (
        len(found),
        *(severities[one] for one in reversed(Severity)),
        fixes[Applicability.SAFE],
        fixes[Applicability.UNSAFE],
        fixes[None],
    )
    return tuple(str(number) if number else "-" for number in numbers)
