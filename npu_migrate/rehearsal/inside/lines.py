"""Where a call begins whose last argument is on a given line.

Before Python 3.8 a frame says of a call over several lines that it is on the line of its last argument.
"""

from __future__ import annotations

import io
import keyword
import sys
import tokenize

IS_NEEDED = sys.version_info < (3, 8)


def beginnings(source: bytes) -> dict[int, int]:
    """For each line that begins between the brackets of a call, the line of the innermost such call."""
    found: dict[int, int] = {}
    opened: list[int | None] = []
    before = ""
    line = 0
    try:
        for token in tokenize.tokenize(io.BytesIO(source).readline):
            if token.type in (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENCODING):
                continue
            begins_line, line = token.start[0] != line, token.end[0]
            if begins_line and opened and opened[-1] is not None and token.string not in ")]}":
                found[token.start[0]] = found.get(opened[-1], opened[-1])
            if token.string in ("(", "[", "{"):
                called = token.string == "(" and _ends_a_function(before)
                opened.append(token.start[0] if called else opened[-1] if opened else None)
            elif token.string in (")", "]", "}") and opened:
                opened.pop()
            before = token.string
    except (tokenize.TokenError, SyntaxError):
        # What was found before still holds.
        pass
    return found


def _ends_a_function(text: str) -> bool:
    return text in (")", "]") or (text.isidentifier() and not keyword.iskeyword(text))
