"""Python's own parser, and what it raises."""

from __future__ import annotations

import ast
import warnings

UNPARSABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What CPython raises for a text that it cannot parse or compile."""


def parse(text: str | bytes) -> ast.Module:
    """The syntax tree of `text`, without CPython's warnings about it.

    Raises `SyntaxError` when it is not valid Python 3, `RecursionError` or `MemoryError` when it is
    nested deeper than this Python's parser allows, `ValueError` when it contains NUL. Bytes are decoded
    by their cookie, as CPython does.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)
