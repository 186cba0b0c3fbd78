"""Where lines begin, and how the column units of ``ast``, reports and editors translate into each other.

Four units meet here: offsets into the text (code points, 0-based), ``ast`` positions (1-based line,
0-based UTF-8 byte column), report positions (1-based line, 1-based code-point column) and UTF-16 columns
(0-based, used by editors). A line ends at ``\\n``, ``\\r\\n`` or a lone ``\\r``, as in CPython's tokenizer;
form feeds and U+2028 are ordinary characters.

A point beyond the end of a line or of the text is moved to that end, because syntax errors and editors
name such points.

Git, review platforms and the tools around them end lines at ``\\n`` only. `LineIndex(text, GIT_LINE_END)`
counts as they do.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate, count
from operator import add

from npu_migrate.places import Position, Range, Span

PYTHON_LINE_END = re.compile(r"\r\n?|\n")
GIT_LINE_END = re.compile(r"\n")


class LineIndex:
    """The lines of one immutable text. Building it costs one scan; each conversion costs one line."""

    __slots__ = ("_ascii", "_starts", "_text")

    def __init__(self, text: str, line_end: re.Pattern[str] = PYTHON_LINE_END) -> None:
        self._text = text
        self._ascii = text.isascii()
        if "\r" in text:
            self._starts = (0, *(match.end() for match in line_end.finditer(text)))
        else:  # several times as fast, and so are most texts
            lengths = map(len, text.split("\n")[:-1])
            self._starts = tuple(map(add, accumulate(lengths, initial=0), count()))

    @property
    def count(self) -> int:
        """How many lines there are; a text that ends with a newline has an empty last line."""
        return len(self._starts)

    def bounds(self, line: int) -> tuple[int, int]:
        """The offsets at which the 1-based `line` begins and ends, without its newline."""
        line = min(max(line, 1), len(self._starts))
        start = self._starts[line - 1]
        if line == len(self._starts):
            return start, len(self._text)
        end = self._starts[line] - 1
        if end > start and self._text[end] == "\n" and self._text[end - 1] == "\r":
            end -= 1
        return start, end

    def line(self, line: int) -> str:
        """The text of the 1-based `line`, without its newline."""
        start, end = self.bounds(line)
        return self._text[start:end]

    def offset(self, line: int, column: int) -> int:
        """The offset of an ``ast`` position: 1-based `line`, 0-based `column` in UTF-8 bytes."""
        if line > len(self._starts):
            return len(self._text)
        start, end = self.bounds(line)
        if self._ascii:
            return min(start + column, end)
        encoded = self._text[start:end].encode("utf-8", "surrogatepass")[:column]
        return start + len(encoded.decode("utf-8", "ignore"))

    def offsets(self, span: Span) -> tuple[int, int]:
        """The start and end offsets of an ``ast`` span."""
        return self.offset(span[0], span[1]), self.offset(span[2], span[3])

    def ast_position(self, offset: int) -> tuple[int, int]:
        """The ``ast`` position (1-based line, 0-based UTF-8 byte column) of `offset`."""
        line, start = self._line_at(offset)
        if self._ascii:
            return line, min(offset, len(self._text)) - start
        return line, len(self._text[start:offset].encode("utf-8", "surrogatepass"))

    def position(self, offset: int) -> Position:
        """The report position of `offset`."""
        line, start = self._line_at(offset)
        return Position(line, min(offset, len(self._text)) - start + 1)

    def range(self, start: int, end: int) -> Range:
        """The report range between two offsets."""
        return Range(self.position(start), self.position(end))

    def range_of(self, span: Span) -> Range:
        """The report range of an ``ast`` span."""
        return self.range(*self.offsets(span))

    def offset_of(self, position: Position) -> int:
        """The offset of a report position."""
        if position.line > len(self._starts):
            return len(self._text)
        start, end = self.bounds(position.line)
        return min(start + position.column - 1, end)

    def utf16_position(self, offset: int) -> tuple[int, int]:
        """The 0-based line and 0-based UTF-16 column of `offset`, as editors count."""
        line, start = self._line_at(offset)
        return line - 1, len(self._text[start:offset].encode("utf-16-le", "surrogatepass")) // 2

    def _line_at(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        return line, self._starts[line - 1]
