"""Which lines of a file a service shows in the diff of a pull request: it takes comments on these only."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


class Line(NamedTuple):
    """A line of the new file that a diff shows.

    `old` is its number in the old file, None for an added line. `position` counts the lines of the diff,
    from 1 below the first hunk's header. `hunk` is the number of its hunk.
    """

    old: int | None
    position: int
    hunk: int
    text: str


@dataclass(frozen=True, slots=True)
class FileDiff:
    """The diff of one file; `lines` are those of the new file, by their numbers."""

    old_path: str
    lines: Mapping[int, Line] = field(default_factory=dict)

    def shown(self, first: int, last: int) -> tuple[int, int] | None:
        """The first of the lines `first` to `last` that stand together in one hunk; None if none is shown."""
        begin = next((number for number in sorted(self.lines) if first <= number <= last), None)
        if begin is None:
            return None
        end = begin
        while end < last and end + 1 in self.lines and self.lines[end + 1].hunk == self.lines[begin].hunk:
            end += 1
        return begin, end


def file_diff(old_path: str, diff: str) -> FileDiff:
    """Read the hunks of one file's diff, with or without the lines that come before them."""
    return FileDiff(old_path, dict(_lines(diff)))


def _lines(diff: str) -> Iterator[tuple[int, Line]]:
    old = new = hunk = 0
    position = -1
    for text in diff.split("\n"):
        header = _HUNK.match(text)
        if header is None and position < 0:
            continue
        position += 1
        if header is not None:
            old, new, hunk = int(header[1]), int(header[2]), hunk + 1
        elif text.startswith("-"):
            old += 1
        elif text.startswith("+"):
            yield new, Line(None, position, hunk, text[1:])
            new += 1
        elif text.startswith(" "):
            yield new, Line(old, position, hunk, text[1:])
            old, new = old + 1, new + 1
