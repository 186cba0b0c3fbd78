"""NPU901, NPU902 and NPU903: what could not be analysed or checked, so that it is never silent."""

from __future__ import annotations

import re
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from npu_migrate.findings import Finding, Severity
from npu_migrate.index.indexing import NotIndexed
from npu_migrate.places import Place
from npu_migrate.sources.source import NoPythonNotebook, SourceError
from npu_migrate.sources.tree import SourceTree


class RuleFailure(NamedTuple):
    """The rule `code` raised `error`, which is a mistake in this tool."""

    code: str
    error: Exception


_TOO_DEEP = re.compile(r"too many nested|too complex|nested|recursion|stack overflow", re.IGNORECASE)
_PYTHON_2 = (
    "Missing parentheses in call to",
    "multiple exception types must be parenthesized",
    "leading zeros in decimal integer literals",
    "inconsistent use of tabs",
    "invalid decimal literal",
)


def failure_finding(tree: SourceTree, key: str, error: Exception) -> Finding:
    """The finding that says why the file `key` could not be analysed."""
    if isinstance(error, NoPythonNotebook):
        return Finding("NPU903", Severity.INFO, f"not analysed: {error.reason}", Place(key, (1, 0, 1, 0)))
    if isinstance(error, SourceError):
        return Finding("NPU902", Severity.ERROR, f"not analysed: {error.reason}", Place(key, (1, 0, 1, 0)))
    if isinstance(error, NotIndexed):
        return Finding("NPU903", Severity.ERROR, f"not analysed: {error}", Place(key, (1, 0, 1, 0)))
    if isinstance(error, SyntaxError) and not _TOO_DEEP.search(error.msg or ""):
        return _syntax_finding(tree, key, error)
    if isinstance(error, ValueError) and not isinstance(error, SyntaxError):
        return Finding("NPU902", Severity.ERROR, f"not analysed: {error}", Place(key, (1, 0, 1, 0)))
    return Finding(
        "NPU903",
        Severity.ERROR,
        "not analysed: the code is nested too deeply for this Python's parser",
        Place(key, (1, 0, 1, 0)),
    )


def rule_failure_finding(key: str, failures: Sequence[RuleFailure]) -> Finding:
    """The finding that says which rules could not be checked in the file `key`, and where they failed."""
    codes = ", ".join(failure.code for failure in failures)
    reasons = "; ".join(dict.fromkeys(_where(failure.error) for failure in failures))
    return Finding(
        "NPU903",
        Severity.ERROR,
        f"not checked for {codes}: the rule failed ({reasons}); please report this",
        Place(key, (1, 0, 1, 0)),
    )


def _where(error: Exception) -> str:
    """Kind and place of a mistake, for who has to find it."""
    name = type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    return f"{name} in {Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else name


def _syntax_finding(tree: SourceTree, key: str, error: SyntaxError) -> Finding:
    lines = tree.source(key).lines
    line = min(max(error.lineno or 1, 1), lines.count)
    text = lines.line(line)
    characters = max((error.offset or 1) - 1, 0)
    column = len(text[:characters].encode())
    hint = " (Python 2 syntax?)" if (error.msg or "").startswith(_PYTHON_2) else ""
    return Finding(
        "NPU901",
        Severity.ERROR,
        f"not analysed: not valid Python 3: {error.msg}{hint}",
        Place(key, (line, column, line, column)),
    )
