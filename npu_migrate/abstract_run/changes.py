"""What an edit changes, and which paths through a program come by it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from npu_migrate.abstract_run.log import Path
from npu_migrate.index.facts import FileFacts, Statement
from npu_migrate.project.project import Project

LineRange = tuple[int, int]
"""Lines from the first to the last, 1-based."""

_FUNCTIONS = frozenset({"FunctionDef", "AsyncFunctionDef"})
MODULE = 0
"""The scope of a file's own code."""


class Changed(NamedTuple):
    """The lines of a file that an edit changes: as it was, and as it is after. What is only inserted changes
    the line where it is inserted, as the file was, and the one behind."""

    before: tuple[LineRange, ...]
    after: tuple[LineRange, ...]


class Touched:
    """The code of a project that an edit changes: functions, and files outside of all functions.

    As long as a path does not enter any of it, the program does the same before and after the edit.
    """

    def __init__(self, project: Project, changes: Mapping[str, Changed]) -> None:
        self._scopes = {key: _scopes(project, key, one.before) for key, one in changes.items()}
        self._facts = {key: project.facts(key) for key in changes}

    def entered_by(self, path: Path) -> bool:
        """Whether a path of the program before the edit has entered code that is changed."""
        return any(self._is_changed(key, number) for key, number in path.statements if key in self._scopes)

    def _is_changed(self, key: str, number: int) -> bool:
        facts, scopes = self._facts[key], self._scopes[key]
        return facts is None or facts.statements[number].scope in scopes


def _scopes(project: Project, key: str, ranges: Sequence[LineRange]) -> frozenset[int]:
    facts = project.facts(key)
    if facts is None:
        return frozenset({MODULE})
    bodies = list(_bodies(project, facts))
    return frozenset(_innermost(bodies, line) for first, last in ranges for line in range(first, last + 1))


def _bodies(project: Project, facts: FileFacts) -> Iterable[tuple[int, int, int]]:
    """The first and the last line of each function's body, with its scope; a class is not told from the code
    around it, and neither is a body on the line of its ``def``."""
    blocks = project.blocks(facts.key)
    for statement in facts.statements:
        if statement.kind in _FUNCTIONS:
            body: Sequence[Statement] = blocks.get((statement.id, "body"), ())
            if body and body[0].span[0] > statement.span[0]:
                yield body[0].span[0], statement.span[2], statement.defines


def _innermost(bodies: Iterable[tuple[int, int, int]], line: int) -> int:
    around = [(first, scope) for first, last, scope in bodies if first <= line <= last]
    return max(around)[1] if around else MODULE
