"""Where in a file a suppression comment can stand, and what has to be written there."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from npu_migrate.engine.accepting.suppression import MARKER, first_lines, read_suppressions, with_codes
from npu_migrate.places import Place
from npu_migrate.rewrite.tokens import Tokens
from npu_migrate.sources.source import Source

_BLANKS = " \t"


class Written(NamedTuple):
    """The text that replaces what is between two offsets."""

    start: int
    end: int
    text: str


class CommentPlaces:
    """The lines of one file that parses, as places for comments."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._first_line = first_lines(source.text)
        self._closed = frozenset(_lines_without_end(source))
        self._lists = {
            one.span[0]: one
            for one in read_suppressions(source)
            if one.codes and one.problem is None and not one.whole_file
        }

    def line_for(self, place: Place) -> int | None:
        """The line on which the comment for a finding goes: its own, else the first one of its statement.

        ``None`` if neither can take it.
        """
        start = place.span[:2]
        lines = (start[0], self._first_line(start))
        return next((line for line in lines if line not in self._closed), None)

    def comment(self, line: int, codes: Collection[str], reason: str | None) -> Written:
        """What makes a comment on a line suppress `codes`.

        A list of codes that is there gets them. `reason` goes behind a comment that has none.
        """
        words = "" if reason is None else f" {reason}"
        lines = self._source.lines
        known = self._lists.get(line)
        if known is not None:
            text = with_codes(known, added=sorted(codes))
            return Written(*lines.offsets(known.span), text + (words if known.span == known.reasoned else ""))
        start, end = lines.bounds(line)
        content = self._source.text[start:end].rstrip(_BLANKS)
        return Written(start + len(content), end, f"  # {MARKER} ignore[{', '.join(sorted(codes))}]{words}")


def _lines_without_end(source: Source) -> Iterator[int]:
    """The lines behind which no comment can stand: a string or a backslash goes on to the next one."""
    lines = source.lines
    for token in Tokens(source.text).all:
        first = lines.ast_position(token.start)[0]
        if token.kind == "string":
            yield from range(first, lines.ast_position(token.end)[0])
        elif token.kind == "continuation":
            yield first
