"""Unified diffs, as ``git diff``, ``git format-patch`` and ``diff -u`` write them, read as values.

A diff is bytes: its lines end at ``\\n`` only, so that carriage returns and form feeds are content. How long
a hunk is says its header, never what a line looks like, and the lines of a file's header follow one another;
hence text around the diffs, as in a mail, does no harm.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import NamedTuple

from npu_migrate.review.change import ReviewError, Touched

ADDED, DELETED, KEPT = b"+", b"-", b" "

_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_INDEX = re.compile(rb"index ([0-9a-f]+)\.\.[0-9a-f]+( [0-7]+)?")
_QUOTED = re.compile(rb'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
_ESCAPES = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}
_OLD_PREFIXES = (b"a/", b"i/", b"c/", b"o/", b"1/")
_NEW_PREFIXES = (b"b/", b"w/", b"i/", b"2/")
_NOWHERE = b"/dev/null"
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_GIT = b"diff --git "
_COMBINED = (b"diff --cc ", b"diff --combined ")
_BEHIND_COMBINED = (b"index ", b"mode ", b"new file mode ", b"deleted file mode ", b"--- ", b"@@@ ")
_OTHERS = (b"old mode ", b"new mode ", b"dissimilarity index ")
_SPECIAL = re.compile(rb"(?:old mode|new mode|(?:new|deleted) file mode|index \S+) 1[26]0000")


class HunkLine(NamedTuple):
    """A line of a hunk: `ADDED`, `DELETED` or `KEPT`, and its content with the line end that it has."""

    mark: bytes
    content: bytes


class Hunk(NamedTuple):
    """A part of a diff. `start` is how many lines of the new file lie before it."""

    start: int
    lines: tuple[HunkLine, ...]


@dataclass(frozen=True, slots=True)
class FilePatch:
    """The diff of one file.

    `old` and `new` are its names with ``/``; `old` is None for an added file, `new` for a deleted one. A
    binary file has no hunks, nor has what is `special`: a symbolic link or a submodule. `blob` is the name
    under which Git keeps the old content, if the diff says so.
    """

    old: str | None
    new: str | None
    hunks: tuple[Hunk, ...] = ()
    binary: bool = False
    special: bool = False
    blob: str | None = None


@dataclass(slots=True)
class _Header:
    """What was read of a file's diff so far; names are as they stand there."""

    pair: bytes = b""
    old: bytes | None = None
    new: bytes | None = None
    renamed_from: bytes | None = None
    renamed_to: bytes | None = None
    added: bool = False
    deleted: bool = False
    binary: bool = False
    special: bool = False
    altered: bool = False
    blob: bytes | None = None
    hunks: list[Hunk] = field(default_factory=list)


def parse_patch(data: bytes) -> tuple[FilePatch, ...]:
    """The diffs in `data`, one after the other; a file that several patches change comes several times.

    Raises `ReviewError` for what is no such diff, for one that is cut off, and for the combined diff of a
    merge, which has no single state before.
    """
    if data.startswith(_WIDE):
        raise ReviewError("the patch is UTF-16 text; write it with: git diff --output=FILE")
    lines = data.split(b"\n")
    headers: list[_Header] = []
    number = 0
    while number < len(lines):
        line = lines[number].removesuffix(b"\r")
        if line.startswith(_COMBINED) and _line(lines, number + 1).startswith(_BEHIND_COMBINED):
            raise ReviewError("the patch is the combined diff of a merge; compare with one parent instead")
        if _HUNK.match(line):
            raise ReviewError(
                f"the patch is damaged at line {number + 1}: a hunk without the name of its file"
            )
        header = _Header()
        begin = number
        if line.startswith(_GIT):
            header.pair = line.removeprefix(_GIT)
            number = _take_all(header, lines, number + 1)
        number = _take_hunks(header, lines, number)
        if number - begin > 1:
            headers.append(header)
        number = max(number, begin + 1)
    if not headers and data.strip() and not any(line.startswith(_GIT) for line in lines):
        raise ReviewError("the patch holds no unified diff; write it with: git diff --output=FILE")
    return tuple(_file(header) for header in headers)


def touched_by(hunks: tuple[Hunk, ...]) -> Touched:
    """What a diff did to a file, in lines of the new file."""
    lines: set[int] = set()
    gaps: set[int] = set()
    for hunk in hunks:
        number = hunk.start
        for line in hunk.lines:
            if line.mark == DELETED:
                gaps.add(number)
                continue
            number += 1
            if line.mark == ADDED:
                lines.add(number)
    return Touched(frozenset(lines), frozenset(gaps))


def _line(lines: list[bytes], number: int) -> bytes:
    """A line without its line end; empty behind the last one."""
    return lines[number].removesuffix(b"\r") if number < len(lines) else b""


def _take_all(header: _Header, lines: list[bytes], number: int) -> int:
    """Read what follows ``diff --git``, from ``lines[number]``; gives the number of the line behind it."""
    while _take(header, _line(lines, number)):
        number += 1
    return number


def _take_hunks(header: _Header, lines: list[bytes], number: int) -> int:
    """Read the names of a file and its hunks, if ``lines[number]`` begins them, else nothing.

    Gives the number of the line behind them. Blank lines between hunks do no harm.
    """
    old, new, following = (_line(lines, number + index) for index in range(3))
    if not (old.startswith(b"--- ") and new.startswith(b"+++ ") and _HUNK.match(following)):
        if header.altered and not (header.binary or any(lines[number + 2 :])):
            raise ReviewError(f"the patch is cut off at line {len(lines)}")
        return number
    header.old, header.new = _name(old.removeprefix(b"--- ")), _name(new.removeprefix(b"+++ "))
    number += 2
    while True:
        begin = number
        while number < len(lines) and not lines[number].strip():
            number += 1
        match = _HUNK.match(_line(lines, number))
        if match is None:
            return begin
        hunk, number = _hunk(match, lines, number + 1)
        header.hunks.append(hunk)


def _hunk(header: re.Match[bytes], lines: list[bytes], number: int) -> tuple[Hunk, int]:
    """The hunk whose first line is ``lines[number]``, and the number of the line behind it."""
    left = {DELETED: _length(header[2]), ADDED: _length(header[4])}
    start = int(header[3]) - (left[ADDED] > 0)
    result: list[HunkLine] = []
    while any(left.values()):
        if number >= len(lines) - 1:
            raise ReviewError(f"the patch is cut off at line {number}")
        line = lines[number]
        number += 1
        mark, content = line[:1], line[1:]
        if line in (b"", b"\r"):  # some programs strip the blank of an empty line
            mark, content = KEPT, line
        if mark == b"\\":
            _without_line_end(result)
            continue
        if mark not in (KEPT, ADDED, DELETED):
            raise ReviewError(
                f"the patch is damaged at line {number}: a hunk is shorter than its header says"
            )
        result.append(HunkLine(mark, content + b"\n"))
        for side in (DELETED, ADDED):
            left[side] -= mark in (KEPT, side)
        if min(left.values()) < 0:
            raise ReviewError(f"the patch is damaged at line {number}: a hunk is longer than its header says")
    if number < len(lines) and lines[number].startswith(b"\\"):
        _without_line_end(result)
        number += 1
    return Hunk(start, tuple(result)), number


def _length(group: bytes | None) -> int:
    return 1 if group is None else int(group)


def _without_line_end(lines: list[HunkLine]) -> None:
    if lines:
        lines[-1] = lines[-1]._replace(content=lines[-1].content.removesuffix(b"\n"))


def _take(header: _Header, line: bytes) -> bool:
    """Read one of the lines between ``diff --git`` and the hunks; gives False for any other line."""
    if _SPECIAL.match(line):
        header.special = True
    if line.startswith(b"rename from "):
        header.renamed_from = _name(line.removeprefix(b"rename from "))
    elif line.startswith(b"rename to "):
        header.renamed_to = _name(line.removeprefix(b"rename to "))
    elif line.startswith((b"new file mode ", b"copy from ")):
        header.added = True
    elif line.startswith(b"copy to "):
        header.renamed_to = _name(line.removeprefix(b"copy to "))
    elif line.startswith(b"deleted file mode "):
        header.deleted = True
    elif line.startswith((b"Binary files ", b"GIT binary patch")):
        header.binary = True
    elif match := _INDEX.match(line):
        header.blob = match[1]
        # An added, deleted or merely executable file has its mode elsewhere, and may have no hunks.
        header.altered |= match[2] is not None
    elif line.startswith(b"similarity index "):
        header.altered = line != b"similarity index 100%"
    else:
        return line.startswith(_OTHERS)
    return True


def _file(header: _Header) -> FilePatch:
    old, new = header.old, header.new
    if old is not None and new is not None:
        old, new = _without_prefixes(old, new, header.pair)
    elif header.pair:
        old, new = _pair(header.pair)
    added = header.added or old == _NOWHERE
    deleted = header.deleted or new == _NOWHERE
    old, new = header.renamed_from or old, header.renamed_to or new
    return FilePatch(
        old=None if added or old is None else os.fsdecode(old),
        new=None if deleted or new is None else os.fsdecode(new),
        # What the diff of a link or a submodule shows is no content of a file.
        hunks=() if header.special else tuple(header.hunks),
        binary=header.binary,
        special=header.special,
        blob=None if header.blob is None else header.blob.decode("ascii"),
    )


def _name(text: bytes) -> bytes:
    """A name from a header: quoted as C does it, or followed by a tab and a time."""
    match = _QUOTED.match(text)
    return _unquoted(match[1]) if match else text.partition(b"\t")[0]


def _unquoted(text: bytes) -> bytes:
    def character(match: re.Match[bytes]) -> bytes:
        code = match[1]
        return bytes([int(code, 8) & 0xFF]) if len(code) == 3 else _ESCAPES.get(code, code)

    return _ESCAPE.sub(character, text)


def _without_prefixes(old: bytes, new: bytes, pair: bytes) -> tuple[bytes, bytes]:
    """The names without ``a/`` and ``b/``, or what a user has set instead, if they have any."""
    if pair and _is_twice_the_same(pair):
        return old, new
    if old.startswith(_OLD_PREFIXES) or old == _NOWHERE:
        if new == _NOWHERE:
            return old[2:], new
        if new.startswith(_NEW_PREFIXES) and (old == _NOWHERE or old[:2] != new[:2]):
            return (old if old == _NOWHERE else old[2:]), new[2:]
    return old, new


def _is_twice_the_same(pair: bytes) -> bool:
    half = len(pair) // 2
    return len(pair) % 2 == 1 and pair[half : half + 1] == b" " and pair[:half] == pair[half + 1 :]


def _pair(pair: bytes) -> tuple[bytes | None, bytes | None]:
    """The names in a ``diff --git`` line, where they are the same but for their prefixes."""
    quoted = [_unquoted(name) for name in _QUOTED.findall(pair)]
    half = len(pair) // 2
    old, new = quoted if len(quoted) == 2 else (pair[:half], pair[half + 1 :])
    return _without_prefixes(old, new, b"" if quoted else pair)
