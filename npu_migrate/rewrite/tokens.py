"""A light scan of Python text into tokens, with offsets; enough to find brackets, comments and line ends.

The text is known to parse, so the scan need not judge it. Names, keywords and digits are one kind.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

_STRING = r"""
    (?:[rR][bBfFtT]?|[bBfFtT][rR]?|[uU])?
    (?:
        \"\"\" [^"\\]* (?: (?: \\. | "(?!"") ) [^"\\]* )* \"\"\"
      | ''' [^'\\]* (?: (?: \\. | '(?!'') ) [^'\\]* )* '''
      | " [^"\\\r\n]* (?: \\ (?: \r\n | . ) [^"\\\r\n]* )* "
      | ' [^'\\\r\n]* (?: \\ (?: \r\n | . ) [^'\\\r\n]* )* '
    )
"""
_COMMENT_OR_STRING = re.compile(rf"(?P<comment>\#[^\r\n]*) | {_STRING}", re.VERBOSE | re.DOTALL)
_BRACKET = re.compile(
    rf"(?P<opening>[(\[{{]) | (?P<closing>[)\]}}]) | \#[^\r\n]* | {_STRING}", re.VERBOSE | re.DOTALL
)
_TOKEN = re.compile(
    rf"""
    (?P<comment>\#[^\r\n]*)
  | (?P<string>{_STRING})
  | (?P<newline>\r\n?|\n)
  | (?P<name>\w+)
  | (?P<opening>[(\[{{])
  | (?P<closing>[)\]}}])
  | (?P<continuation>\\(?:\r\n?|\n))
  | (?P<other>[^\s\w])
    """,
    re.VERBOSE | re.DOTALL,
)
_LAYOUT = frozenset(("comment", "newline", "continuation"))
_start = attrgetter("start")


class Token(NamedTuple):
    """One token. `kind` is comment, string, newline, name, opening, closing, continuation or other."""

    kind: str
    start: int
    end: int


class Tokens:
    """The tokens of one text, in order.

    `starts` are offsets at which no string and no comment is open, the first one 0: the text is scanned from
    one of them to the next, and only where somebody asks.
    """

    def __init__(self, text: str, starts: Sequence[int] = (0,)) -> None:
        self._text = text
        self._starts = starts
        self._known: dict[int, tuple[Token, ...]] = {}

    @cached_property
    def all(self) -> tuple[Token, ...]:
        """Every token, newlines and comments included."""
        return tuple(token for number in range(len(self._starts)) for token in self._stretch(number))

    def between(self, start: int, end: int) -> tuple[Token, ...]:
        """The tokens that begin in the range `start` to `end` (exclusive)."""
        found: list[Token] = []
        for number in range(max(bisect_right(self._starts, start) - 1, 0), bisect_left(self._starts, end)):
            tokens = self._stretch(number)
            found += tokens[bisect_left(tokens, start, key=_start) : bisect_left(tokens, end, key=_start)]
        return tuple(found)

    def before(self, offset: int) -> Token | None:
        """The last token of code that begins before `offset`."""
        for number in range(bisect_left(self._starts, offset) - 1, -1, -1):
            tokens = self._stretch(number)
            for index in range(bisect_left(tokens, offset, key=_start) - 1, -1, -1):
                if tokens[index].kind not in _LAYOUT:
                    return tokens[index]
        return None

    def after(self, offset: int) -> Token | None:
        """The first token of code that begins at or behind `offset`."""
        for number in range(max(bisect_right(self._starts, offset) - 1, 0), len(self._starts)):
            tokens = self._stretch(number)
            for index in range(bisect_left(tokens, offset, key=_start), len(tokens)):
                if tokens[index].kind not in _LAYOUT:
                    return tokens[index]
        return None

    def _stretch(self, number: int) -> tuple[Token, ...]:
        """The tokens from one start to the next."""
        known = self._known.get(number)
        if known is None:
            ends = self._starts[number + 1 : number + 2] or [len(self._text)]
            found = _TOKEN.finditer(self._text, self._starts[number], ends[0])
            known = tuple(Token(match.lastgroup or "", match.start(), match.end()) for match in found)
            self._known[number] = known
        return known

    def open_brackets(self, start: int, end: int) -> int:
        """How many brackets that open in a range are still open at its end."""
        depth = 0
        for token in self.between(start, end):
            depth += (token.kind == "opening") - (token.kind == "closing")
        return depth

    @property
    def balanced(self) -> bool:
        """Whether every bracket that closes was opened before, and the other way round."""
        depth = 0
        for token in self.all:
            depth += (token.kind == "opening") - (token.kind == "closing")
            if depth < 0:
                return False
        return depth == 0

    def breaks_line(self, start: int, end: int) -> bool:
        """Whether a range has a newline that is not escaped, nor in a string or brackets of its own."""
        depth = 0
        for token in self.between(start, end):
            depth += (token.kind == "opening") - (token.kind == "closing")
            if token.kind == "newline" and depth <= 0:
                return True
        return False

    def has_comment(self, start: int, end: int) -> bool:
        """Whether a comment begins in a range."""
        return any(token.kind == "comment" for token in self.between(start, end))


def comments(text: str) -> Counter[str]:
    """All comments of a text and how often each is there."""
    return Counter(match[0].rstrip() for match in _comments(text))


def comment_around(text: str, offset: int) -> tuple[int, int] | None:
    """Where the comment of which `offset` is a part begins and ends; None if it is in no comment.

    One within brackets is part of an expression and does not count.
    """
    for match in _comments(text):
        if match.start() < offset <= match.end():
            return None if _in_brackets(text, match.start()) else match.span()
        if match.start() >= offset:
            break
    return None


def _in_brackets(text: str, offset: int) -> bool:
    kinds = Counter(match.lastgroup for match in _BRACKET.finditer(text, 0, offset))
    return kinds["opening"] > kinds["closing"]


def _comments(text: str) -> Iterator[re.Match[str]]:
    return (match for match in _COMMENT_OR_STRING.finditer(text) if match["comment"])
