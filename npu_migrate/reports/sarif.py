"""SARIF 2.1.0, the format of code scanning services and of viewers of findings.

Everything is pure ASCII, so any stream can carry it. Columns count Unicode code points, as everywhere.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, NamedTuple

from npu_migrate.findings import NOT_ANALYSED, Diagnostic, Fix, RelatedRange, Report, Severity, TextEdit
from npu_migrate.languages.pages import severity_words
from npu_migrate.places import Range
from npu_migrate.reports.catalogue import without_markup
from npu_migrate.reports.characters import portable
from npu_migrate.reports.notebooks import message_with_cell
from npu_migrate.reports.surroundings import Surroundings
from npu_migrate.reports.uris import FileUri, file_uri, folder_uri
from npu_migrate.rules.rule import Rule
from npu_migrate.sources.source import Source
from npu_migrate.version import __version__

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_PROBLEMS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "recommendation"}
"""The words of GitHub's code scanning."""
_TAGS = {
    "NPU1": ("data-input",),
    "NPU2": ("iteration-offload",),
    "NPU3": ("training-acceleration",),
    "NPU4": ("loss-scaling",),
    "NPU5": ("rec-sdk",),
    "NPU6": ("options",),
    "NPU7": ("port",),
    "NPU8": ("run-time",),
    "NPU9": ("tool",),
}
"""What the rules of a group are about, by the first characters of their codes."""
_OF_TOOL = "NPU9"
_LINK = re.compile(r"\[(?=[^\]]*\]\()")

_Json = dict[str, Any]


class _Tables(NamedTuple):
    """What results refer to: the location of each file and the index of each rule."""

    locations: Mapping[str, _Json]
    rules: Mapping[str, int]


def sarif_report(report: Report, surroundings: Surroundings) -> str:
    """The report as a SARIF log with one run, ending with a newline.

    Suppressed and baselined findings are in it, marked as such.
    """
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [_run(report, surroundings)]}
    return json.dumps(log, indent=2) + "\n"


def _run(report: Report, surroundings: Surroundings) -> _Json:
    found = report.diagnostics
    rules = surroundings.rules_of(report)
    sources = surroundings.source
    uris = {path: file_uri(path) for path in sorted(set(_paths(found)))}
    tables = _Tables(
        {path: _artifact_location(uri) | {"index": index} for index, (path, uri) in enumerate(uris.items())},
        {rule.code: index for index, rule in enumerate(rules)},
    )
    with_baseline = report.baseline is not None
    folders = {0, *(uri.parents for uri in uris.values() if uri.parents is not None)}
    return {
        "tool": {
            "driver": {
                "name": "npu-migrate",
                "version": __version__,
                "semanticVersion": __version__,
                **_if_given("informationUri", surroundings.documentation),
                "rules": [_rule(one, surroundings.page_of(one.code)) for one in rules],
            }
        },
        "automationDetails": {"id": "npu-migrate/"},
        "originalUriBaseIds": {
            _base_id(parents): {"uri": folder_uri(surroundings.folder, parents)}
            for parents in sorted(folders)
        },
        "columnKind": "unicodeCodePoints",
        "newlineSequences": ["\r\n", "\n", "\r"],
        "defaultEncoding": "UTF-8",
        "defaultSourceLanguage": "python",
        "invocations": [
            {
                "executionSuccessful": True,
                "workingDirectory": {"uri": folder_uri(surroundings.folder)},
                "toolExecutionNotifications": [
                    _notification(one, tables) for one in found if one.code in NOT_ANALYSED
                ],
            }
        ],
        "artifacts": [_artifact(location, sources(path)) for path, location in tables.locations.items()],
        "results": [_result(one, sources(one.path), tables, with_baseline) for one in found],
        "properties": {
            "files": {
                "discovered": report.files.discovered,
                "skippedByGate": report.files.skipped_by_gate,
                "context": report.files.context,
                "analysed": report.files.analysed,
                "failed": report.files.failed,
                "changed": report.files.changed,
            },
            "fixed": {"safe": report.fixed_safe, "unsafe": report.fixed_unsafe},
        },
    }


def _paths(found: Iterable[Diagnostic]) -> Iterator[str]:
    for one in found:
        yield one.path
        yield from (related.path for related in one.related)
        yield from (edit.path for edit in (one.fix.edits if one.fix else ()))


def _if_given(name: str, address: str | None) -> _Json:
    return {} if address is None else {name: address}


def _rule(rule: Rule, address: str | None) -> _Json:
    """What is said of a rule, as text without marks; `help` has the same page in Markdown, too."""
    page = rule.documentation.strip()
    explained = next((part for part in page.split("\n\n") if not part.startswith("#")), rule.summary)
    named = [word for word in severity_words() if word in rule.severity]
    first = min(named, key=rule.severity.index, default=Severity.WARNING.label)
    severity = Severity[severity_words()[first].upper()]
    return {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": without_markup(rule.summary)},
        "fullDescription": {"text": " ".join(without_markup(explained).split())},
        "help": {"text": without_markup(page), "markdown": page},
        **_if_given("helpUri", address),
        "defaultConfiguration": {"level": _LEVELS[severity]},
        "properties": {
            "name": rule.name,
            "severity": rule.severity,
            "fix": rule.fix,
            "sources": list(rule.sources),
            "tags": ["npu", "tensorflow", *_TAGS.get(rule.code[:4], ())],
            "precision": "very-high" if rule.code.startswith(_OF_TOOL) else "high",
            "problem.severity": _PROBLEMS[severity],
        },
    }


def _artifact_location(uri: FileUri) -> _Json:
    return {"uri": uri.uri} if uri.parents is None else {"uri": uri.uri, "uriBaseId": _base_id(uri.parents)}


def _base_id(parents: int) -> str:
    return "%SRCROOT%" + "/.." * parents


def _artifact(location: _Json, source: Source | None) -> _Json:
    artifact: _Json = {"location": location}
    if source is not None:
        artifact["length"] = len(source.data)
        artifact["hashes"] = {"sha-256": hashlib.sha256(source.data).hexdigest()}
        if source.encoding != "utf-8":
            artifact["encoding"] = source.encoding.upper()
    return artifact


def _result(one: Diagnostic, source: Source | None, tables: _Tables, with_baseline: bool) -> _Json:
    properties: _Json = {"programs": [portable(path) for path in one.programs]}
    if one.cell is not None:
        properties["cell"] = {"number": one.cell.number, "region": _region(one.cell.range)}
    result: _Json = {
        "ruleId": one.code,
        "ruleIndex": tables.rules[one.code],
        "level": _LEVELS[one.severity],
        "message": _message(message_with_cell(one)),
        "locations": [_location(tables, one.path, _with_snippet(_region(one.range), one.range, source))],
        "partialFingerprints": {"findingHash/v1": one.fingerprint},
        "suppressions": [
            *([{"kind": "inSource", "status": "accepted"}] if one.suppressed else []),
            *([{"kind": "external", "status": "accepted"}] if one.baselined else []),
        ],
        "properties": properties,
    }
    if one.related:
        result["relatedLocations"] = [
            _related(tables, related, number) for number, related in enumerate(one.related, 1)
        ]
    if one.fix is not None:
        result["fixes"] = [_fix(tables, one.fix)]
    if with_baseline:
        result["baselineState"] = "unchanged" if one.baselined else "new"
    return result


def _notification(one: Diagnostic, tables: _Tables) -> _Json:
    """That a file, or a part of it, was not searched: its results are not complete."""
    return {
        "level": _LEVELS[one.severity],
        "message": _message(message_with_cell(one)),
        "locations": [_location(tables, one.path, _region(one.range))],
        "associatedRule": {"id": one.code, "index": tables.rules[one.code]},
    }


def _related(tables: _Tables, related: RelatedRange, number: int) -> _Json:
    location = _location(tables, related.path, _region(related.range))
    return {"id": number, **location, "message": _message(message_with_cell(related))}


def _fix(tables: _Tables, fix: Fix) -> _Json:
    return {
        "description": _message(fix.title),
        "artifactChanges": [
            {"artifactLocation": tables.locations[path], "replacements": [_replacement(one) for one in edits]}
            for path, edits in groupby(sorted(fix.edits, key=_place), key=lambda edit: edit.path)
        ],
        "properties": {"applicability": fix.applicability.value},
    }


def _place(edit: TextEdit) -> tuple[str, Range]:
    return edit.path, edit.range


def _replacement(edit: TextEdit) -> _Json:
    return {"deletedRegion": _region(edit.range), "insertedContent": {"text": edit.text}}


def _location(tables: _Tables, path: str, region: _Json) -> _Json:
    return {"physicalLocation": {"artifactLocation": tables.locations[path], "region": region}}


def _region(span: Range) -> _Json:
    return {
        "startLine": span.start.line,
        "startColumn": span.start.column,
        "endLine": span.end.line,
        "endColumn": span.end.column,
    }


def _with_snippet(region: _Json, span: Range, source: Source | None) -> _Json:
    if source is None:
        return region
    start, end = source.lines.offset_of(span.start), source.lines.offset_of(span.end)
    return {**region, "snippet": {"text": source.text[start:end]}} if end > start else region


def _message(text: str) -> _Json:
    """A message that no reader takes for more than text: ``[a](b)`` would be a link."""
    return {"text": _LINK.sub(r"\\[", portable(text))}
