"""Python's own parser, and what it raises."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable

UNPARSABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What CPython raises for a text that it cannot parse or compile."""

_PART = 100_000
_BREAK = re.compile(r"\n\r?\n(?!(?:elif|else|except|finally)\b)(?=[A-Za-z_@])")
"""Where a statement of the module ends and another one begins, unless a string or bracket is open there."""


def require_valid(pieces: Iterable[tuple[int, str]]) -> None:
    """Raise what `parse` raises for the first of `pieces` that is not valid by itself.

    They are parts of one text, each given with its first line there; so is the line of a `SyntaxError`.
    """
    for first_line, piece in pieces:
        try:
            parse(piece)
        except SyntaxError as error:
            error.lineno = (error.lineno or 1) + first_line - 1
            raise


def parse(text: str | bytes) -> ast.Module:
    """The syntax tree of `text`, without CPython's warnings about it.

    Raises `SyntaxError` when it is not valid Python 3, `RecursionError` or `MemoryError` when it is
    nested deeper than this Python's parser allows, `ValueError` when it contains NUL. Bytes are decoded
    by their cookie, as CPython does.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if isinstance(text, str) and len(text) > _PART and _ends_lines_as_usual(text):
            return _parsed_in_parts(text, _PART)
        return ast.parse(text)


def _ends_lines_as_usual(text: str) -> bool:
    return text.count("\r") == text.count("\r\n")


def _parsed_in_parts(text: str, size: int) -> ast.Module:
    """The tree of a text, made of those of parts that have at least `size` characters.

    CPython's parser lets no other thread run. While it reads two megabytes at once, an editor waits for
    more than a second.
    """
    body: list[ast.stmt] = []
    start = line = 0
    while start < len(text):
        found = _BREAK.search(text, start + size)
        end = len(text) if found is None else found.end()
        try:
            body += ast.parse("\n" * line + text[start:end]).body
        except UNPARSABLE:
            if end == len(text):
                raise
            # It is not valid, or it was not a statement that ended there: the rest tells which.
            return ast.Module([*body, *ast.parse("\n" * line + text[start:]).body], [])
        line += text.count("\n", start, end)
        start = end
    return ast.Module(body, [])
