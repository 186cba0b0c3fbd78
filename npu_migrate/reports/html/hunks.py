"""What a fix changes in one file, as the hunks of a diff, made from its edits alone.

Comparing whole files would take a report with thousands of fixes minutes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from typing import NamedTuple

from npu_migrate.findings import TextEdit
from npu_migrate.reports.html.excerpt import shortened
from npu_migrate.sources.source import Source

_CONTEXT = 3
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
_NO_NEWLINE = "\\ No newline at end of file"


@dataclass(frozen=True, slots=True)
class Run:
    """Lines that share a `mark`: ``" "`` stays, ``"-"`` goes, ``"+"`` comes. `text` carries the marks."""

    mark: str
    text: str


@dataclass(frozen=True, slots=True)
class Hunk:
    """A stretch of a file, old and new together; `header` tells the lines as a unified diff does."""

    header: str
    runs: tuple[Run, ...]


class _Edit(NamedTuple):
    start: int
    end: int
    text: str
    first_line: int
    last_line: int


def hunks_of(source: Source, edits: Sequence[TextEdit]) -> tuple[Hunk, ...]:
    """The hunks, in order. All `edits` lie in `source`; equal ones count once, others do not overlap."""
    lines = source.lines
    ordered = sorted(
        {
            _Edit(
                lines.offset_of(edit.range.start),
                lines.offset_of(edit.range.end),
                edit.text,
                edit.range.start.line,
                edit.range.end.line,
            )
            for edit in edits
        }
    )
    hunks: list[Hunk] = []
    shift = 0
    for cluster in _clusters(ordered):
        first = max(cluster[0].first_line - _CONTEXT, 1)
        start = lines.bounds(first)[0]
        behind = cluster[-1].last_line + _CONTEXT + 1
        end = lines.bounds(behind)[0] if behind <= lines.count else len(source.text)
        old = _LINE.findall(source.text[start:end])
        new = _LINE.findall(_spliced(source.text, start, end, cluster))
        hunks += _compared(old, new, first, shift)
        shift += len(new) - len(old)
    return tuple(hunks)


def _clusters(edits: Sequence[_Edit]) -> Iterator[list[_Edit]]:
    """The edits whose context lines meet, together."""
    cluster: list[_Edit] = []
    for edit in edits:
        if cluster and edit.first_line - cluster[-1].last_line > 2 * _CONTEXT + 1:
            yield cluster
            cluster = []
        cluster.append(edit)
    if cluster:
        yield cluster


def _spliced(text: str, start: int, end: int, edits: Sequence[_Edit]) -> str:
    pieces: list[str] = []
    done = start
    for edit in edits:
        pieces += (text[done : edit.start], edit.text)
        done = edit.end
    return "".join((*pieces, text[done:end]))


def _compared(old: list[str], new: list[str], first: int, shift: int) -> Iterator[Hunk]:
    """The hunks between two stretches; the old one begins at line `first`, the new one `shift` later."""
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        marked: list[tuple[str, str]] = []
        for tag, old_start, old_end, new_start, new_end in group:
            if tag == "equal":
                marked += ((" ", line) for line in old[old_start:old_end])
                continue
            marked += (("-", line) for line in old[old_start:old_end])
            marked += (("+", line) for line in new[new_start:new_end])
        old_range = _numbers(first + group[0][1], group[-1][2] - group[0][1])
        new_range = _numbers(first + shift + group[0][3], group[-1][4] - group[0][3])
        yield Hunk(f"@@ -{old_range} +{new_range} @@", _runs(marked))


def _numbers(first: int, count: int) -> str:
    """The first line and the count; no lines at all name the line before them."""
    return f"{first},{count}" if count else f"{first - 1},0"


def _runs(marked: Sequence[tuple[str, str]]) -> tuple[Run, ...]:
    return tuple(
        Run(mark, "".join(_shown(mark, line) for _, line in group))
        for mark, group in groupby(marked, key=lambda one: one[0])
    )


def _shown(mark: str, line: str) -> str:
    content = line.rstrip("\r\n")
    shown = f"{mark}{shortened(content)}\n"
    return shown if content != line else f"{shown}{_NO_NEWLINE}\n"
