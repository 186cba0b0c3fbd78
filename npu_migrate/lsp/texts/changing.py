"""A text after what an editor says has been changed in it.

The text is changed as a list of lines: with one string of two megabytes, replacing a word everywhere would
take half a minute.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from lsprotocol import types

from npu_migrate.lsp.texts.positions import Encoding, characters_before

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
_SURROGATE = re.compile("[\ud800-\udfff]")


def changed_text(
    text: str, changes: Iterable[types.TextDocumentContentChangeEvent], encoding: Encoding
) -> str:
    """The text after the changes, each of which speaks of the text that the one before has left."""
    lines = _lines_of(text)
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangeWholeDocument):
            lines = _lines_of(change.text)
        else:
            _replace(lines, change.range, change.text, encoding)
    return "".join(lines)


def _replace(lines: list[str], place: types.Range, text: str, encoding: Encoding) -> None:
    """Replace what is at a place. One that ends before it begins is empty."""
    start = _point(lines, place.start, encoding)
    end = max(start, _point(lines, place.end, encoding))
    # The line before may end with a carriage return to which a line feed comes now.
    first = max(start[0] - 1, 0)
    before = "".join((*lines[first : start[0]], lines[start[0]][: start[1]]))
    new = _lines_of(before + text + lines[end[0]][end[1] :])
    if end[0] + 1 < len(lines):
        new.pop()  # the end of the last of these lines is not the end of the text
    lines[first : end[0] + 1] = new


def _lines_of(text: str) -> list[str]:
    """The lines with their newlines; the last one has none."""
    lines: list[str] = _LINE.findall(_with_whole_characters(text))
    if not lines or lines[-1].endswith(("\r", "\n")):
        lines.append("")
    return lines


def _point(lines: list[str], position: types.Position, encoding: Encoding) -> tuple[int, int]:
    """The line and the character in it that a position means."""
    if position.line >= len(lines):
        return len(lines) - 1, len(lines[-1])
    return position.line, characters_before(lines[position.line].rstrip("\r\n"), position.character, encoding)


def _with_whole_characters(text: str) -> str:
    """The text with the halves of a character that have come together joined."""
    if text.isascii() or _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
