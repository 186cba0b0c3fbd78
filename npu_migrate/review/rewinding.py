"""Patches applied backwards: from the files as they are now to what they were before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from npu_migrate.review.change import ReviewError, Touched
from npu_migrate.review.patches import ADDED, DELETED, FilePatch, Hunk


class Traced(NamedTuple):
    """A line of a file at some time: its bytes with its line end, and its 1-based number now.

    `now` is 0 for a line that is no longer there.
    """

    content: bytes
    now: int


@dataclass(frozen=True, slots=True)
class Rewound:
    """A file at some time: its lines, and what has been done to it since."""

    lines: tuple[Traced, ...]
    touched: Touched

    @property
    def data(self) -> bytes:
        """The file's content."""
        return b"".join(line.content for line in self.lines)


def as_it_is(data: bytes) -> Rewound:
    """A file to which nothing has been done since."""
    parts = data.split(b"\n")
    lines = [*(part + b"\n" for part in parts[:-1]), *filter(None, parts[-1:])]
    return Rewound(tuple(Traced(line, number) for number, line in enumerate(lines, 1)), Touched())


def rewind(file: Rewound, patch: FilePatch) -> Rewound:
    """`file` as it was before `patch`.

    How a line ends is not compared: Git may have changed that when it wrote the file. Raises `ReviewError`
    when `file` is not what the patch made.
    """
    lines: list[Traced] = []
    touched = set(file.touched.lines)
    gaps = set(file.touched.gaps)
    position = 0
    for hunk in patch.hunks:
        if hunk.start < position:
            raise ReviewError(f"the patch is damaged: the hunks of {patch.new} are not in order")
        lines += file.lines[position : hunk.start]
        position = hunk.start
        _require_match(patch, hunk, file.lines)
        for line in hunk.lines:
            if line.mark == DELETED:
                gaps.add(_last_number(file.lines, position))
                lines.append(Traced(line.content, 0))
                continue
            current = file.lines[position]
            position += 1
            if line.mark != ADDED:
                lines.append(current)
            elif current.now:
                touched.add(current.now)
    lines += file.lines[position:]
    return Rewound(tuple(lines), Touched(frozenset(touched), frozenset(gaps)))


def _last_number(lines: Sequence[Traced], position: int) -> int:
    """The number now of the last line before `position` that is still there; 0 if there is none."""
    while position and not lines[position - 1].now:
        position -= 1
    return lines[position - 1].now if position else 0


def _require_match(patch: FilePatch, hunk: Hunk, lines: Sequence[Traced]) -> None:
    expected = [line.content for line in hunk.lines if line.mark != DELETED]
    for number, content in enumerate(expected, hunk.start):
        if number >= len(lines) or lines[number].content.rstrip(b"\r\n") != content.rstrip(b"\r\n"):
            raise ReviewError(
                f"the patch does not fit {patch.new}: line {number + 1} is different; "
                "the files must be as they are after the patch"
            )
