"""Python's own parser, and what it raises."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable

UNPARSABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What CPython raises for a text that it cannot parse or compile."""


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
        return ast.parse(text)
