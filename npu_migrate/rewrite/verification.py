"""What must hold for an edited text: it compiles as well as before, and no comment is lost."""

from __future__ import annotations

import warnings

from npu_migrate.index.parsing import UNPARSABLE, parse
from npu_migrate.rewrite.tokens import comments


def defect(before: str, after: str, agreed: str) -> str | None:
    """What is wrong with `after`, the edited `before`, in words that complete "the fix was dropped:".

    ``None`` when nothing is. The text must compile to bytecode if the original did, else it must parse.
    `agreed` is `before` with only those edits that were asked to change a comment: all comments in it stay.
    """
    broken = _compile_error(after)
    if broken is not None and _compile_error(before) is not None:
        broken = _parse_error(after)
    if broken is not None:
        return f"the changed file would not compile ({broken})"
    if comments(agreed) - comments(after):
        return "a comment would be lost"
    return None


def _compile_error(text: str) -> str | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<changed>", "exec", dont_inherit=True)
    except UNPARSABLE as error:
        return _words(error)
    return None


def _parse_error(text: str) -> str | None:
    try:
        parse(text)
    except UNPARSABLE as error:
        return _words(error)
    return None


def _words(error: Exception) -> str:
    if isinstance(error, SyntaxError):
        return f"{error.msg}, line {error.lineno}"
    return str(error) or type(error).__name__
