"""Fixes as replacements of whole lines, for places where people accept a change by a click.

A review platform takes a suggestion as the new text of the lines that it hangs on, and each suggestion is
accepted alone. Half a fix breaks a script, so a fix is one suggestion or none:

- All its edits must lie in one file and close together. The suggestion covers the lines from the first to
  the last one that changes (`suggestion_of`).
- Two fixes that touch the same lines get the same suggestion, which holds both (`suggestions`). Whoever
  accepts all suggestions, in any order, gets all these fixes: no two different ones share a line.

Lines are counted as Git counts them: they end at ``\\n`` only (`Source.git_lines`). What a platform does with
lines that end in different ways, or with bytes that are no UTF-8, is not known; such lines are left alone.
"""

from __future__ import annotations

import codecs
import enum
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from npu_migrate.findings import Fix, TextEdit
from npu_migrate.reports.surroundings import Sources
from npu_migrate.sources.lines import PYTHON_LINE_END
from npu_migrate.sources.source import Source

CLOSE = 20
"""How many unchanged lines may lie between two changes, so that a reader still sees them together."""

_BOM = "\ufeff"


class LineReplacement(NamedTuple):
    """Replace the lines `first_line` to `last_line` (1-based, both included) of a file by `text`.

    Neither the lines nor `text` include the line end of the last line, which stays; an empty `text` leaves
    one empty line. Lines that only go away are replaced together with a neighbour. Where the file begins
    with a BOM, the text for its first line does too.
    """

    path: str
    first_line: int
    last_line: int
    text: str


class Hindrance(enum.Enum):
    """Why a fix is no suggestion. The value completes a sentence that begins with "The fix"."""

    SEVERAL_FILES = "changes several files"
    FAR_APART = "changes lines that are far apart"
    ENCODING = "changes characters that are not stored as UTF-8"
    END_OF_FILE = "changes how the file ends"
    LINE_ENDS = "changes lines with mixed or lone-CR line ends"
    UNREADABLE = "changes a file that can no longer be read"


Suggestion = LineReplacement | Hindrance
"""What becomes of a fix."""


def suggestion_of(fix: Fix, sources: Sources) -> Suggestion:
    """All edits of `fix` as one replacement, or what stands against it."""
    return _suggestion(fix.edits, sources)


def suggestions(fixes: Sequence[Fix], sources: Sources) -> tuple[Suggestion, ...]:
    """What becomes of each of `fixes`, in their order, when all of them are offered side by side.

    Any two replacements of one file are equal or share no line. Applying each of them once gives what the
    edits of these fixes give together.
    """
    result = {number: _suggestion(fix.edits, sources) for number, fix in enumerate(fixes)}
    groups = [_Group(made, (number,)) for number, made in result.items() if isinstance(made, LineReplacement)]
    while len(clusters := _clusters(groups)) < len(groups):
        groups = []
        for cluster in clusters:
            if len(cluster) == 1:
                groups += cluster
                continue
            members = tuple(number for group in cluster for number in group.members)
            made = _suggestion((edit for number in members for edit in fixes[number].edits), sources)
            result.update(dict.fromkeys(members, made))
            if isinstance(made, LineReplacement):
                groups.append(_Group(made, members))
    return tuple(result.values())


class _Group(NamedTuple):
    """A replacement, and the numbers of the fixes that it holds."""

    replacement: LineReplacement
    members: tuple[int, ...]


def _clusters(groups: Iterable[_Group]) -> list[list[_Group]]:
    """The groups, together where their replacements share a line."""
    clusters: list[list[_Group]] = []
    path, last = "", 0
    for group in sorted(groups):
        replacement = group.replacement
        if replacement.path == path and replacement.first_line <= last:
            clusters[-1].append(group)
            last = max(last, replacement.last_line)
        else:
            clusters.append([group])
            path, last = replacement.path, replacement.last_line
    return clusters


def _suggestion(edits: Iterable[TextEdit], sources: Sources) -> Suggestion:
    edits = frozenset(edits)
    path = min(edit.path for edit in edits)
    if any(edit.path != path for edit in edits):
        return Hindrance.SEVERAL_FILES
    source = sources(path)
    if source is None:
        return Hindrance.UNREADABLE
    changes = sorted(_change(source, edit) for edit in edits)
    touched = [_touched(source, change) for change in changes]
    if any(first - last - 1 > CLOSE for (_, last), (first, _) in pairwise(touched)):
        return Hindrance.FAR_APART
    return _replacement(path, source, changes, touched[0][0], touched[-1][1])


class _Change(NamedTuple):
    """Replace the code points `start` to `end` (exclusive, 0-based) of a text by `text`."""

    start: int
    end: int
    text: str


def _change(source: Source, edit: TextEdit) -> _Change:
    lines = source.lines
    return _Change(lines.offset_of(edit.range.start), lines.offset_of(edit.range.end), edit.text)


def _touched(source: Source, change: _Change) -> tuple[int, int]:
    """The first and the last line that a change needs to be replaced."""
    lines = source.git_lines
    first, column = lines.ast_position(change.start)
    last, behind = lines.ast_position(change.end)
    ends_line = change.text.endswith("\n") or (not change.text and column == 0)
    if last > first and behind == 0 and ends_line:
        last -= 1
    final = _final_line(source)
    return min(first, final), min(last, final)


def _final_line(source: Source) -> int:
    """The number of the last line; what follows the last line end is a line only if it has characters."""
    count = source.git_lines.count
    return count - 1 if count > 1 and source.text.endswith("\n") else count


def _replacement(
    path: str, source: Source, changes: Sequence[_Change], first: int, last: int
) -> LineReplacement | Hindrance:
    """The replacement of at least the lines `first` to `last`, wherein `changes` lie."""
    lines, text = source.git_lines, source.text
    start, end = lines.bounds(first)[0], lines.bounds(last)[1]
    below = lines.bounds(last + 1)[0] if last < lines.count else len(text)
    line_end = text[end:below]
    new = _changed(text, start, below, changes)
    if not new.endswith(line_end):
        if last < _final_line(source):
            return _replacement(path, source, changes, first, last + 1)
        if first > 1 and not new:
            return _replacement(path, source, changes, first - 1, last)
        return Hindrance.END_OF_FILE
    new = new.removesuffix(line_end)
    if not _is_utf8(source.encoding) and not (new.isascii() and text[start:end].isascii()):
        return Hindrance.ENCODING
    if {*PYTHON_LINE_END.findall(text[start:below] + new)} not in ({"\n"}, {"\r\n"}, set()):
        return Hindrance.LINE_ENDS
    mark = _BOM if source.bom and first == 1 else ""
    return LineReplacement(path, first, last, mark + new)


def _changed(text: str, start: int, end: int, changes: Iterable[_Change]) -> str:
    """What `changes`, sorted and apart from each other, make of the text between two offsets."""
    pieces: list[str] = []
    for change in changes:
        pieces += (text[start : change.start], change.text)
        start = change.end
    return "".join((*pieces, text[start:end]))


def _is_utf8(encoding: str) -> bool:
    return codecs.lookup(encoding).name == "utf-8"
