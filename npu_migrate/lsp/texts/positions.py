"""Places as an editor counts them: 0-based lines, columns in the units that were agreed on.

Unlike a file, the text in an editor may contain halves of surrogate pairs, which count as characters here.
"""

from __future__ import annotations

from lsprotocol import types

from npu_migrate.sources.lines import LineIndex

Encoding = types.PositionEncodingKind


def to_editor(lines: LineIndex, offset: int, encoding: Encoding) -> types.Position:
    """The editor's position of an offset (code points) into a text with these lines."""
    if encoding is Encoding.Utf16:
        line, column = lines.utf16_position(offset)
    elif encoding is Encoding.Utf8:
        line, column = lines.ast_position(offset)
        line -= 1
    else:
        position = lines.position(offset)
        line, column = position.line - 1, position.column - 1
    return types.Position(line, column)


def from_editor(lines: LineIndex, position: types.Position, encoding: Encoding) -> int:
    """The offset (code points) of an editor's position.

    One beyond a line's end is moved to that end, and one inside a character to the character's start.
    """
    if position.line >= lines.count:
        return lines.bounds(lines.count)[1]
    start, _ = lines.bounds(position.line + 1)
    return start + characters_before(lines.line(position.line + 1), position.character, encoding)


def characters_before(line: str, column: int, encoding: Encoding) -> int:
    """How many characters of `line`, which has no newline, lie completely before an editor's column."""
    if encoding is Encoding.Utf32 or line.isascii():
        return min(column, len(line))
    count = _utf16_characters if encoding is Encoding.Utf16 else _utf8_characters
    return count(line, column)


def editor_range(lines: LineIndex, start: int, end: int, encoding: Encoding) -> types.Range:
    """The editor's range between two offsets."""
    return types.Range(to_editor(lines, start, encoding), to_editor(lines, end, encoding))


def _utf16_characters(line: str, column: int) -> int:
    """How many characters of `line` lie completely before a UTF-16 column."""
    units = line.encode("utf-16-le", "surrogatepass")[: 2 * column]
    count = len(units.decode("utf-16-le", "surrogatepass"))
    halved = len(line[:count].encode("utf-16-le", "surrogatepass")) > len(units)
    return count - 1 if halved else count


def _utf8_characters(line: str, column: int) -> int:
    """How many characters of `line` lie completely before a UTF-8 column."""
    data = line.encode("utf-8", "surrogatepass")
    column = min(column, len(data))
    while column < len(data) and data[column] & 0xC0 == 0x80:
        column -= 1
    return len(data[:column].decode("utf-8", "surrogatepass"))
