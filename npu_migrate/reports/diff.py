"""Unified diffs of bytes, in the form that ``git apply`` and ``patch`` take."""

from __future__ import annotations

import os
import re
from difflib import SequenceMatcher

from npu_migrate.reports.matching import AnchoredMatcher

_CONTEXT = 3
_LONG = 2000
"""Lines from which on `difflib` alone takes too long. Of moved code its diffs are a little shorter."""
_NO_NEWLINE = b"\n\\ No newline at end of file\n"
_COLOURS = {b"@": 36, b"-": 31, b"+": 32}
"""The codes of ANSI for the lines behind the two names, by their first character."""
_NAMES = 2
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_UNQUOTABLE = re.compile(r'["\\\x00-\x1f\x7f]')


def unified_diff(path: str, before: bytes | None, after: bytes) -> bytes:
    """The diff that turns `before` into `after`; empty when they are equal. None stands for no file.

    Lines are split at ``\\n`` only, so that carriage returns and form feeds are content. `path` appears
    behind ``a/`` and ``b/``, quoted as Git does where it holds quotes or control characters.
    """
    old, new = _lines(before or b""), _lines(after)
    chunks: list[bytes] = []
    matcher = (SequenceMatcher if len(old) < _LONG else AnchoredMatcher)(None, old, new)
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        old_range = _hunk_range(group[0][1], group[-1][2])
        new_range = _hunk_range(group[0][3], group[-1][4])
        chunks.append(f"@@ -{old_range} +{new_range} @@\n".encode())
        for tag, old_start, old_end, new_start, new_end in group:
            if tag == "equal":
                chunks += (_marked(b" ", line) for line in old[old_start:old_end])
                continue
            chunks += (_marked(b"-", line) for line in old[old_start:old_end])
            chunks += (_marked(b"+", line) for line in new[new_start:new_end])
    if not chunks:
        return b""
    origin = b"/dev/null\n" if before is None else _name(f"a/{path}")
    return b"".join((b"--- ", origin, b"+++ ", _name(f"b/{path}"), *chunks))


def in_colours(diff: bytes) -> bytes:
    """The diff of one file as Git shows it on a terminal: names bold, old red, new green."""
    lines = _lines(diff)
    names, rest = lines[:_NAMES], lines[_NAMES:]
    return b"".join((*(_coloured(line, 1) for line in names), *map(_coloured_by_mark, rest)))


def _coloured_by_mark(line: bytes) -> bytes:
    colour = _COLOURS.get(line[:1])
    return line if colour is None else _coloured(line, colour)


def _coloured(line: bytes, colour: int) -> bytes:
    content = line.rstrip(b"\r\n")
    return b"\x1b[%dm%b\x1b[0m%b" % (colour, content, line[len(content) :])


def _lines(data: bytes) -> list[bytes]:
    lines = data.split(b"\n")
    complete = [line + b"\n" for line in lines[:-1]]
    return [*complete, lines[-1]] if lines[-1] else complete


def _hunk_range(start: int, end: int) -> str:
    """The 1-based first line and the count; an empty range names the line before it."""
    return f"{start + 1},{end - start}" if end > start else f"{start},0"


def _marked(mark: bytes, line: bytes) -> bytes:
    return mark + line if line.endswith(b"\n") else mark + line + _NO_NEWLINE


def _name(path: str) -> bytes:
    """A file name as Git writes it: quoted where needed, and a tab behind one that contains a blank."""
    if _UNQUOTABLE.search(path):
        quoted = _UNQUOTABLE.sub(lambda match: _ESCAPES.get(match[0], f"\\{ord(match[0]):03o}"), path)
        return os.fsencode(f'"{quoted}"\n')
    return os.fsencode(f"{path}\t\n" if " " in path else f"{path}\n")
