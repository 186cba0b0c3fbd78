"""What a change is: which lines of which files it touched, and what the files were before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from npu_migrate.places import LineSpan

SUFFIXES = (".py", ".ipynb")
"""How the names of files end that are looked at without being named."""

_CONTEXT = 3


class ReviewError(Exception):
    """A change cannot be found out; the text is one line that says why and what to do."""


@dataclass(frozen=True, slots=True)
class Touched:
    """What a change did to a file, in lines of the file as it is now (1-based; they end at ``\\n`` only).

    `lines` were added or altered. `gaps` are places where lines were deleted: gap 7 lies between the lines 7
    and 8, gap 0 before the first line.
    """

    lines: frozenset[int] = frozenset()
    gaps: frozenset[int] = frozenset()

    def meets(self, first: int, last: int) -> bool:
        """Whether one of the lines from `first` to `last` was touched, or lines between them were deleted."""
        return any(line in self.lines for line in range(first, last + 1)) or any(
            gap in self.gaps for gap in range(first, last)
        )

    def near(self, count: int) -> tuple[int, ...]:
        """The touched lines, in order; without any, those of the `count` lines that are beside deletions."""
        beside = {one for gap in self.gaps for one in (gap, gap + 1) if 1 <= one <= count}
        return tuple(sorted(self.lines or beside))

    def hunks(self, count: int) -> tuple[LineSpan, ...]:
        """The lines, of `count`, that a diff shows with three lines of context; each span is one hunk."""
        cores = [(line, line) for line in self.lines] + [(gap + 1, gap) for gap in self.gaps]
        spans: list[LineSpan] = []
        for first, last in sorted((first - _CONTEXT, last + _CONTEXT) for first, last in cores):
            if spans and first <= spans[-1].last + 1:
                spans[-1] = LineSpan(spans[-1].first, max(spans[-1].last, last))
            else:
                spans.append(LineSpan(first, last))
        clipped = (LineSpan(max(one.first, 1), min(one.last, count)) for one in spans)
        return tuple(one for one in clipped if one.first <= one.last)


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One file that is there now.

    `was` is its key before the change, which differs after a rename; None for an added file. `before` is what
    it held then; None for an added file.
    """

    touched: Touched
    was: str | None = None
    before: bytes | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """A change of the files below `top`, the absolute path of the repository.

    `files` are those that it added, altered or renamed, by their key; `deleted` gives the former contents of
    the others.
    """

    top: str
    files: Mapping[str, ChangedFile] = field(default_factory=dict)
    deleted: Mapping[str, bytes] = field(default_factory=dict)


def all_lines(data: bytes) -> Touched:
    """Everything in a file with this content is touched."""
    return Touched(frozenset(range(1, line_count(data) + 1)))


def line_count(data: bytes) -> int:
    """How many lines a diff sees in `data`."""
    return data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
