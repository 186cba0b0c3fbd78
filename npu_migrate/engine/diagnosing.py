"""From findings in ``ast`` coordinates to diagnostics in report coordinates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from npu_migrate.engine.fingerprint import fingerprint, normalised
from npu_migrate.findings import Applicability, Diagnostic, Finding, Fix, RelatedRange, TextEdit
from npu_migrate.places import CellPlace, Place, Position, Range
from npu_migrate.rewrite.edits import OffsetEdit
from npu_migrate.sources.source import Source, SourceError
from npu_migrate.sources.tree import SourceTree

Display = Callable[[str], str]
"""How a file's key is shown to the user."""

Sources = Callable[[str], Source | None]
"""The file of a key; None for one that cannot be read."""

_OPEN_FILES = 64


@dataclass(frozen=True, slots=True)
class CompiledFix:
    """The edits that mend one finding, on the texts as they were read; complete. `verified` as in a `Fix`."""

    applicability: Applicability
    title: str
    edits: tuple[OffsetEdit, ...]
    verified: bool | None = None


class PlannedFinding(NamedTuple):
    """A finding, the fix that was planned for it, and whether a comment suppresses it."""

    finding: Finding
    fix: CompiledFix | None = None
    suppressed: bool = False


class Label(NamedTuple):
    """What the catalogue says of a code: the rule's name, and the vendor facts that it rests on."""

    name: str
    sources: tuple[str, ...]


class Diagnosed(NamedTuple):
    """A diagnostic and the fix behind it, in offsets; `place` is where its finding is."""

    diagnostic: Diagnostic
    fix: CompiledFix | None
    place: Place


def diagnose(
    planned: Sequence[PlannedFinding], tree: SourceTree, labels: Mapping[str, Label], display: Display
) -> tuple[Diagnosed, ...]:
    """Turn findings into diagnostics, in the order of path, position and code.

    `tree` holds the texts that the findings speak of; `labels` has one for each code. A place in a file
    that cannot be read or decoded keeps its line and has no source line.
    """
    shown = cache(display)
    readable = frozenset((*tree.targets, *tree.context))
    # What discovery refused may be a pipe, and opening that would wait for a writer.
    sources = lru_cache(_OPEN_FILES)(lambda key: _source(tree, key) if key in readable else None)
    root = tree.root.as_posix().rstrip("/")
    seen: Counter[tuple[str, str, str]] = Counter()
    result = []
    for finding, fix, suppressed in sorted(planned, key=_place_and_code):
        key = finding.place.path
        source = sources(key)
        line = source.line_as_written(finding.place.span[0]) if source else ""
        where, cell = _where(source, finding.place)
        same = (finding.code, key, normalised(finding.code, line))
        label = labels[finding.code]
        diagnostic = Diagnostic(
            code=finding.code,
            name=label.name,
            severity=finding.severity,
            message=finding.message,
            path=shown(key),
            range=where,
            related=tuple(_related(finding, sources, shown)),
            fingerprint=fingerprint(finding.code, key.removeprefix(f"{root}/"), line, seen[same]),
            suppressed=suppressed,
            programs=tuple(sorted(map(shown, finding.programs))),
            fix=None if fix is None else _fix(fix, sources, shown),
            sources=label.sources,
            source_line=line,
            cell=cell,
        )
        seen[same] += 1
        result.append(Diagnosed(diagnostic, fix, finding.place))
    return tuple(sorted(result, key=_reading_order))


def _place_and_code(planned: PlannedFinding) -> tuple[str, tuple[int, ...], str]:
    return planned.finding.place.path, planned.finding.place.span, planned.finding.code


def _reading_order(diagnosed: Diagnosed) -> tuple[str, Range, str]:
    diagnostic = diagnosed.diagnostic
    return diagnostic.path, diagnostic.range, diagnostic.code


def _source(tree: SourceTree, key: str) -> Source | None:
    try:
        return tree.source(key)
    except SourceError:
        return None


def _where(source: Source | None, place: Place) -> tuple[Range, CellPlace | None]:
    """A place in the file, and in its cell if the file is a notebook."""
    if source is None:
        start = Position(place.span[0], 1)
        return Range(start, start), None
    return source.place(*source.lines.offsets(place.span))


def _related(finding: Finding, sources: Sources, display: Display) -> Iterator[RelatedRange]:
    """Each other place once: what a finding says of its own place is in its message."""
    for related in dict.fromkeys(finding.related):
        if related.place != finding.place:
            path = related.place.path
            where, cell = _where(sources(path), related.place)
            yield RelatedRange(display(path), where, related.message, cell)


def _fix(fix: CompiledFix, sources: Sources, display: Display) -> Fix:
    edits = []
    for edit in sorted(set(fix.edits)):
        source = sources(edit.path)
        assert source is not None, "a fix was planned for a file that cannot be read"
        start, end, text = source.file_edit(edit.start, edit.end, edit.text)
        edits.append(TextEdit(display(edit.path), source.file.lines.range(start, end), text))
    return Fix(fix.applicability, fix.title, tuple(edits), fix.verified)
