"""The report in reviewdog's Diagnostic Format (``rdjson``), which reviewdog posts on pull requests.

Its lines are Git's, and its 1-based columns count the UTF-8 bytes of the line; ends are exclusive. Findings
that do not count are left out, because the format has no word for them.

The suggestions are those fixes that ``--write`` with the same options would apply, as whole lines: some
platforms ignore the columns of a suggestion. A finding has one suggestion at most, because reviewdog can
post one only. The message tells about a fix that is not suggested.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from npu_migrate.findings import Applicability, Diagnostic, Fix, Report, Severity
from npu_migrate.languages.saying import Say
from npu_migrate.places import Range
from npu_migrate.reports.characters import portable
from npu_migrate.reports.notebooks import message_with_cell
from npu_migrate.reports.reviews.suggestions import Hindrance, LineReplacement, Suggestion, suggestions
from npu_migrate.reports.surroundings import Sources, Surroundings
from npu_migrate.reports.wording import fix_title, not_asked_for, write_command
from npu_migrate.sources.source import Source

_SAFE = Applicability.SAFE
_BOM_BYTES = len("\ufeff".encode())


def rdjson_report(report: Report, surroundings: Surroundings) -> str:
    """The report as JSON text, ending with a newline. It is pure ASCII, so any stream can carry it."""
    sources = surroundings.source
    entries = _entries(report.counted, surroundings.applicability, sources, surroundings.say)
    document = {
        "source": {"name": "npu-migrate", **_link(surroundings.documentation)},
        "severity": max((one.severity for one in report.counted), default=Severity.INFO).name,
        "diagnostics": [
            _document(entry, surroundings.page_of(entry.diagnostic.code), sources) for entry in entries
        ],
    }
    return json.dumps(document, indent=2) + "\n"


class _Entry(NamedTuple):
    """A finding, its suggestion if it has one, and what is said about its fix."""

    diagnostic: Diagnostic
    suggestion: LineReplacement | None = None
    note: str = ""


def _entries(
    diagnostics: Sequence[Diagnostic], applicability: Applicability, sources: Sources, say: Say
) -> Iterator[_Entry]:
    fixes = {number: one.fix for number, one in enumerate(diagnostics) if one.fix}
    allowed = {number: fix for number, fix in fixes.items() if fix.applicability in (_SAFE, applicability)}
    local = {number: fix for number, fix in allowed.items() if _changes_only(fix, diagnostics[number].path)}
    made = dict(zip(local, suggestions([*local.values()], sources), strict=True))
    held: dict[Suggestion, list[Fix]] = defaultdict(list)
    for number, suggestion in made.items():
        held[suggestion].append(local[number])
    for number, diagnostic in enumerate(diagnostics):
        outcome = made.get(number)
        if number not in fixes:
            yield _Entry(diagnostic)
        elif isinstance(outcome, LineReplacement):
            yield _Entry(diagnostic, outcome, _remark(held[outcome], say))
        elif number in allowed:
            yield _Entry(diagnostic, note=_refusal(fixes[number], outcome, say))
        else:
            yield _Entry(diagnostic, note=say(not_asked_for(fixes[number])))


def _changes_only(fix: Fix, path: str) -> bool:
    """Whether all edits are in that file; a suggestion cannot name another one than its finding does."""
    return all(edit.path == path for edit in fix.edits)


def _refusal(fix: Fix, hindrance: Hindrance | None, say: Say) -> str:
    reason = hindrance.value if hindrance else "changes another file"
    command = write_command(fix)
    return say(f"{fix_title(fix)}. It is not suggested here, because it {reason}; apply it with {command}.")


def _remark(fixes: Sequence[Fix], say: Say) -> str:
    """What a reader should know about a suggestion that holds `fixes`."""
    several = say("The suggestion holds the fixes of several findings.") if len(fixes) > 1 else ""
    unsafe = [fix.title for fix in fixes if fix.applicability is not _SAFE]
    listed = "; ".join(dict.fromkeys(unsafe))
    warning = say(f"Read it before you accept it; unsafe: {listed}.") if unsafe else ""
    return say.sentences((several, warning))


def _link(address: str | None) -> dict[str, str]:
    return {} if address is None else {"url": address}


def _document(entry: _Entry, page: str | None, sources: Sources) -> dict[str, Any]:
    diagnostic, suggestion, note = entry
    related = [
        {"message": portable(one.message), "location": _location(one.path, one.range, sources)}
        for one in diagnostic.related
    ]
    return {
        "message": portable("\n\n".join(filter(None, (message_with_cell(diagnostic), note)))),
        "location": _location(diagnostic.path, diagnostic.range, sources),
        "severity": diagnostic.severity.name,
        "code": {"value": diagnostic.code, **_link(page)},
        **({"suggestions": [_suggestion(suggestion, sources)]} if suggestion else {}),
        **({"related_locations": related} if related else {}),
    }


def _location(path: str, place: Range, sources: Sources) -> dict[str, Any]:
    source = sources(path)
    if source is None:
        ends = [{"line": one.line, "column": one.column} for one in (place.start, place.end)]
    else:
        ends = [_position(source, source.lines.offset_of(one)) for one in (place.start, place.end)]
    return {"path": _name(path), "range": {"start": ends[0], "end": ends[1]}}


def _name(path: str) -> str:
    """The path, with escapes in place of bytes that are no UTF-8: many readers refuse lone surrogates."""
    return path.encode("utf-8", "backslashreplace").decode("utf-8")


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
