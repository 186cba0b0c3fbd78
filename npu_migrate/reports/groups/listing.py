"""The reports for people in groups: what is said alike of several places is said once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import click

from npu_migrate.findings import Diagnostic, Report
from npu_migrate.languages.saying import Say, english
from npu_migrate.reports.groups.grouping import groups_of, said
from npu_migrate.reports.statistics import statistics_report
from npu_migrate.reports.text import (
    block_of,
    details,
    has_safe_fix,
    headline,
    place_of,
    printable,
    severity_of,
)
from npu_migrate.reports.wording import severities_in_words

_MARGIN = "  "


def grouped_report(report: Report, by: str, *, concise: bool, say: Say = english) -> str:
    """The findings that count in groups, and at the end a table of the groups; empty when none counts.

    `by` is one of `GROUPINGS`. A `concise` report has the places only, without source lines and fixes.
    """
    groups = groups_of(report.counted, by)
    if not groups:
        return ""
    return "".join(
        (
            *(_group(said(name, by, say), found, concise, say) for name, found in groups),
            statistics_report(report, by, say),
        )
    )


def _group(name: str, found: Sequence[Diagnostic], concise: bool, say: Say) -> str:
    about = say.headed(printable(name), say(severities_in_words(found)))
    title = click.style(f"== {about} ==", bold=True)
    same: defaultdict[tuple[str, str, str], list[Diagnostic]] = defaultdict(list)
    for one in found:
        same[one.code, one.severity.label, one.message].append(one)
    if concise:
        lines = (line for alike in same.values() for line in _lines(alike, say))
        return "".join(f"{line}\n" for line in (title, *lines, ""))
    blocks = (_block(alike, say) for alike in same.values())
    return "".join(f"{block}\n\n" for block in (title, *blocks))


def _lines(alike: Sequence[Diagnostic], say: Say) -> Iterator[str]:
    """The message and its places; all on one line where there is one place."""
    if len(alike) == 1:
        yield headline(alike[0], say)
        return
    yield _message(alike[0], say)
    yield from (f"{_MARGIN}{_marked_place(one)}" for one in alike)


def _block(alike: Sequence[Diagnostic], say: Say) -> str:
    if len(alike) == 1:
        return block_of(alike[0], say)
    places = (f"{_MARGIN}{line}" for one in alike for line in (_marked_place(one), *details(one, say)))
    return "\n".join((_message(alike[0], say), *places))


def _message(one: Diagnostic, say: Say) -> str:
    return f"{click.style(one.code, bold=True)} {severity_of(one, say)} {printable(one.message)}"


def _marked_place(one: Diagnostic) -> str:
    return f"{place_of(one)}{click.style(' [*]', fg='cyan') if has_safe_fix(one) else ''}"
