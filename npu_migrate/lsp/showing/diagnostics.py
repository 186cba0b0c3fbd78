"""Findings as an editor shows them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple

from lsprotocol import types

from npu_migrate.engine.diagnosing import Diagnosed
from npu_migrate.findings import IDLE_COMMENT, REFUSED_FIX, Finding, RelatedRange, Severity
from npu_migrate.languages.saying import Say, english
from npu_migrate.lsp.judging.judged import Judged
from npu_migrate.lsp.showing.places import Places, PlacesOf
from npu_migrate.lsp.texts.documents import OpenFile
from npu_migrate.sources.source import Source

SOURCE = "npu-migrate"

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}

Link = Callable[[str], str | None]
"""The address of a rule's page, from its code; None where there is none."""


class Shown(NamedTuple):
    """A finding in one document. `diagnosed` is None for what is wrong with the present text."""

    uri: str
    diagnostic: types.Diagnostic
    diagnosed: Diagnosed | None


def shown_findings(
    judged: Judged, file: OpenFile, places: Places, link: Link, say: Say = english
) -> list[Shown]:
    """The findings of one open file that count, in the order of their places.

    Where the present text is not the one that was judged, those remain that do not touch what is different.
    """
    shown = [] if judged.problem is None else [_problem(judged.problem, file, places, link, say)]
    # Of two open files that stand for one on disk, each shows the findings by itself.
    now = PlacesOf(judged.tree, replace(places, files={**places.files, file.key: file}))
    for one in judged.diagnosed:
        found = one.diagnostic
        if not found.counts:
            continue
        where = now.location(file.key, found.range, found.cell)
        if where is not None:
            related = [told for each in found.related if (told := _related(each, now, say)) is not None]
            diagnostic = _diagnostic(found.code, found.severity, say(found.message), where.range, link)
            diagnostic.related_information = related or None
            diagnostic.data = {"fingerprint": found.fingerprint}
            shown.append(Shown(where.uri, diagnostic, one))
    return shown


def still_refused(shown: Iterable[Shown], earlier: Iterable[Shown]) -> list[Shown]:
    """Of the `earlier` findings that say why a fix is not applied those that speak of one that is `shown`.

    Otherwise they would come and go with each keystroke.
    """
    places = {(one.uri, _start(one)) for one in shown}
    return [
        one._replace(diagnosed=None)
        for one in earlier
        if one.diagnostic.code == REFUSED_FIX and (one.uri, _start(one)) in places
    ]


def _start(shown: Shown) -> tuple[int, int]:
    start = shown.diagnostic.range.start
    return start.line, start.character


def by_document(file: OpenFile, shown: list[Shown]) -> dict[str, list[types.Diagnostic]]:
    """The diagnostics of each document of an open file, also of those without any."""
    found: dict[str, list[types.Diagnostic]] = {part.uri: [] for part in file.parts}
    for one in shown:
        found.setdefault(one.uri, []).append(one.diagnostic)
    return found


def _problem(problem: Finding, file: OpenFile, places: Places, link: Link, say: Say) -> Shown:
    content = file.content
    start = 0
    if isinstance(content, Source):
        start = content.lines.offset(*problem.place.span[:2])
        if content.notebook is not None and file.body == content.file.text:
            start = content.notebook.file_range(start, start)[0]
    where = file.location(start, start, places.encoding)
    if where is None:
        where = types.Location(file.uri, types.Range(types.Position(0, 0), types.Position(0, 0)))
    message = say(problem.message)
    return Shown(where.uri, _diagnostic(problem.code, problem.severity, message, where.range, link), None)


def _diagnostic(
    code: str, severity: Severity, message: str, where: types.Range, link: Link
) -> types.Diagnostic:
    address = link(code)
    return types.Diagnostic(
        range=where,
        severity=_SEVERITIES[severity],
        code=code,
        code_description=None if address is None else types.CodeDescription(address),
        source=SOURCE,
        message=message,
        tags=[types.DiagnosticTag.Unnecessary] if code == IDLE_COMMENT else None,
    )


def _related(related: RelatedRange, now: PlacesOf, say: Say) -> types.DiagnosticRelatedInformation | None:
    where = now.location(related.path, related.range, related.cell)
    return None if where is None else types.DiagnosticRelatedInformation(where, say(related.message))
