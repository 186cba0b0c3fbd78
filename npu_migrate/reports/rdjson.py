"""The report in reviewdog's Diagnostic Format (``rdjson``), which reviewdog posts on pull requests.

Its lines are Git's, and its 1-based columns count the UTF-8 bytes of the line; ends are exclusive. Findings
that do not count are left out, because the format has no word for them.

The suggestions are those fixes that ``--write`` with the same options would apply, as whole lines: some
platforms ignore the columns of a suggestion. A finding has one suggestion at most, because reviewdog can
post one only. The message tells about a fix that is not suggested.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from npu_migrate.findings import Applicability, Diagnostic, Range, Report, Severity
from npu_migrate.reports.suggestions import Hindrance, LineReplacement, Sources, suggestions
from npu_migrate.reports.surroundings import Surroundings
from npu_migrate.sources.source import Source

_OPEN_FILES = 64
_BOM_BYTES = len("\ufeff".encode())


def rdjson_report(report: Report, surroundings: Surroundings) -> str:
    """The report as JSON text, ending with a newline. It is pure ASCII, so any stream can carry it."""
    sources = lru_cache(_OPEN_FILES)(surroundings.source)
    entries = _entries(report.counted, surroundings.applicability, sources)
    document = {
        "source": {"name": "npu-migrate"},
        "severity": max((one.severity for one in report.counted), default=Severity.INFO).name,
        "diagnostics": [_document(entry, sources) for entry in entries],
    }
    return json.dumps(document, indent=2) + "\n"


class _Entry(NamedTuple):
    """A finding, its suggestion if it has one, and what is said about its fix."""

    diagnostic: Diagnostic
    suggestion: LineReplacement | None = None
    note: str = ""


def _entries(
    diagnostics: Sequence[Diagnostic], applicability: Applicability, sources: Sources
) -> Iterator[_Entry]:
    allowed = {Applicability.SAFE, applicability}
    offered = [one.fix for one in diagnostics if one.fix and one.fix.applicability in allowed]
    made = suggestions(offered, sources)
    uses, rest = Counter(made), iter(made)
    for diagnostic in diagnostics:
        fix = diagnostic.fix
        if fix is None:
            yield _Entry(diagnostic)
        elif fix.applicability not in allowed:
            yield _Entry(diagnostic, note=f"Unsafe fix, suggested with --unsafe-fixes only: {fix.title}")
        elif isinstance(suggestion := next(rest), Hindrance):
            reason = f"not suggested here, because it {suggestion.value}"
            yield _Entry(diagnostic, note=f"Fix, {reason}: {fix.title} (npu-migrate --write)")
        elif uses[suggestion] > 1:
            yield _Entry(diagnostic, suggestion, "The suggestion holds the fixes of several findings")
        else:
            yield _Entry(diagnostic, suggestion)


def _document(entry: _Entry, sources: Sources) -> dict[str, Any]:
    diagnostic, suggestion, note = entry
    related = [
        {"message": one.message, "location": _location(one.path, one.range, sources)}
        for one in diagnostic.related
    ]
    return {
        "message": "\n\n".join(filter(None, (diagnostic.message, _in_cell(diagnostic), note))),
        "location": _location(diagnostic.path, diagnostic.range, sources),
        "severity": diagnostic.severity.name,
        "code": {"value": diagnostic.code},
        **({"suggestions": [_suggestion(suggestion, sources)]} if suggestion else {}),
        **({"related_locations": related} if related else {}),
    }


def _in_cell(diagnostic: Diagnostic) -> str:
    """Where people find it in a notebook, whose own lines nobody sees."""
    cell = diagnostic.cell
    return "" if cell is None else f"Cell {cell.number}, line {cell.range.start.line}"


def _location(path: str, place: Range, sources: Sources) -> dict[str, Any]:
    source = sources(path)
    if source is None:
        ends = [{"line": one.line, "column": one.column} for one in (place.start, place.end)]
    else:
        ends = [_position(source, source.lines.offset_of(one)) for one in (place.start, place.end)]
    return {"path": path, "range": {"start": ends[0], "end": ends[1]}}


def _suggestion(replacement: LineReplacement, sources: Sources) -> dict[str, Any]:
    source = sources(replacement.path)
    assert source is not None, "a suggestion was made for a file that cannot be read"
    end = _position(source, source.git_lines.bounds(replacement.last_line)[1])
    start = {"line": replacement.first_line, "column": 1}
    return {"range": {"start": start, "end": end}, "text": replacement.text}


def _position(source: Source, offset: int) -> dict[str, int]:
    line, column = source.git_lines.ast_position(offset)
    bom = _BOM_BYTES if source.bom and line == 1 else 0
    return {"line": line, "column": bom + column + 1}
