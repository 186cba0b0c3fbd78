"""Places as an editor counts them: 0-based lines, columns in the units that were agreed on."""

from __future__ import annotations

from lsprotocol import types

from npu_migrate.findings import Position, Range
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
    """The offset (code points) of an editor's position; one beyond a line's end is moved to that end."""
    if encoding is Encoding.Utf16:
        return lines.utf16_offset(position.line, position.character)
    if encoding is Encoding.Utf8:
        return lines.offset(position.line + 1, position.character)
    return lines.offset_of(Position(position.line + 1, position.character + 1))


def editor_range(lines: LineIndex, start: int, end: int, encoding: Encoding) -> types.Range:
    """The editor's range between two offsets."""
    return types.Range(to_editor(lines, start, encoding), to_editor(lines, end, encoding))


def range_in_editor(lines: LineIndex, place: Range, encoding: Encoding) -> types.Range:
    """The editor's range of a place in a report."""
    return editor_range(lines, lines.offset_of(place.start), lines.offset_of(place.end), encoding)
