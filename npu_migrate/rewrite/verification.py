"""What must hold for an edited text: it compiles as well as before, and no comment is lost."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence

from npu_migrate.index.parsing import UNPARSABLE, parse
from npu_migrate.rewrite.document import Document
from npu_migrate.rewrite.edits import OffsetEdit, apply_edits
from npu_migrate.rewrite.sections import changed_stretches
from npu_migrate.rewrite.tokens import comments

_FAR_REACHING = re.compile(r"\b(?:global|barry_as_FLUFL)\b")
"""What makes one statement at the top level decide whether another one compiles."""

_FIRST_OF_ALL = "__future__"
"""Nothing else may stand before its imports. Whatever stands behind them compiles without them, too."""


def defect(document: Document, edits: Sequence[OffsetEdit], agreed: Sequence[OffsetEdit]) -> str | None:
    """What is wrong with the text of `document` after `edits`, in words that complete "the fix was dropped:".

    ``None`` when nothing is. The text must compile to bytecode if the original did, else it must parse.
    `agreed` are those edits that were asked to change a comment: all other comments stay.
    """
    if _is_sound_piece_by_piece(document, edits, agreed):
        return None
    text = document.text
    return _defect(text, apply_edits(text, edits), apply_edits(text, agreed))


def _is_sound_piece_by_piece(
    document: Document, edits: Sequence[OffsetEdit], agreed: Sequence[OffsetEdit]
) -> bool:
    """Whether the sections that are changed compile, each by itself, and keep their comments.

    Then so does the whole text, and all others remain what they were: a text that compiles, put where a
    statement may begin, ends where a statement may end. False where that cannot be said for certain.
    """
    texts = [edit.text for edit in edits]
    if any(_FAR_REACHING.search(text) for text in (document.text, *texts)):
        return False
    if any(_FIRST_OF_ALL in text for text in texts):
        return False
    first_of_all = document.text.rfind(_FIRST_OF_ALL)
    stretches = list(changed_stretches(document.sections, edits))
    asked = [[edit for edit in agreed if one.start <= edit.start < edit.end <= one.end] for one in stretches]
    if sum(map(len, asked)) != len(agreed):
        return False
    for (start, end, changing), commented in zip(stretches, asked, strict=True):
        if start <= first_of_all:
            return False
        before = document.text[start:end]
        after = apply_edits(before, _moved(changing, -start))
        if end < len(document.text) and not after.endswith(("\n", "\r")):
            return False
        if _compile_error(after) is not None:
            return False
        if comments(apply_edits(before, _moved(commented, -start))) - comments(after):
            return False
    return True


def _moved(edits: Sequence[OffsetEdit], distance: int) -> list[OffsetEdit]:
    return [OffsetEdit(path, start + distance, end + distance, text) for path, start, end, text in edits]


def _defect(before: str, after: str, agreed: str) -> str | None:
    """What is wrong with `after`; `agreed` is `before` with only those edits that may change a comment."""
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
