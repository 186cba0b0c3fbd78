"""Findings as an editor shows them."""

from __future__ import annotations

from collections.abc import Callable

from lsprotocol import types

from npu_migrate.findings import Diagnostic, RelatedRange, Severity
from npu_migrate.lsp.desk import Judged
from npu_migrate.lsp.documents import uri_of_key
from npu_migrate.lsp.positions import Encoding, range_in_editor
from npu_migrate.sources.lines import LineIndex
from npu_migrate.sources.source import SourceError
from npu_migrate.sources.tree import SourceTree

SOURCE = "npu-migrate"

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}
_UNNECESSARY = frozenset({"NPU904"})

Link = Callable[[str], str | None]
"""The address of a rule's page, from its code; None where there is none."""


def editor_diagnostics(judged: Judged, encoding: Encoding, link: Link) -> list[types.Diagnostic]:
    """The findings of one file that count, in the order of their places."""
    lines = _lines(judged.tree, judged.key)
    if lines is None:
        lines = LineIndex("")
    return [
        _diagnostic(one.diagnostic, lines, judged.tree, encoding, link)
        for one in judged.diagnosed
        if one.diagnostic.counts
    ]


def _diagnostic(
    found: Diagnostic, lines: LineIndex, tree: SourceTree, encoding: Encoding, link: Link
) -> types.Diagnostic:
    address = link(found.code)
    return types.Diagnostic(
        range=range_in_editor(lines, found.range, encoding),
        severity=_SEVERITIES[found.severity],
        code=found.code,
        code_description=None if address is None else types.CodeDescription(address),
        source=SOURCE,
        message=found.message,
        tags=[types.DiagnosticTag.Unnecessary] if found.code in _UNNECESSARY else None,
        related_information=[_related(one, tree, encoding) for one in found.related],
        data={"fingerprint": found.fingerprint},
    )


def _related(
    related: RelatedRange, tree: SourceTree, encoding: Encoding
) -> types.DiagnosticRelatedInformation:
    lines = _lines(tree, related.path) or LineIndex("")
    place = types.Location(uri_of_key(related.path), range_in_editor(lines, related.range, encoding))
    return types.DiagnosticRelatedInformation(place, related.message)


def _lines(tree: SourceTree, key: str) -> LineIndex | None:
    try:
        return tree.source(key).lines
    except SourceError:
        return None
