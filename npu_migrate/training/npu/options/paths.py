"""Whether two places of a program lie on one path through it."""

from __future__ import annotations

from typing import NamedTuple

from npu_migrate.index.facts import NOTHING
from npu_migrate.index.names import code_scope
from npu_migrate.project.project import Project
from npu_migrate.project.reaching import leaves
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.callers import callers
from npu_migrate.semantics.resolution import Definition

_UNCONDITIONAL = frozenset({"With", "AsyncWith"})
_FUNCTIONS = frozenset({"FunctionDef", "AsyncFunctionDef", "ClassDef"})
_DEEPEST_CALL = 6

Branch = tuple[str, int, str]
"""A part of a compound statement: its file, its number, and the block."""


class _Level(NamedTuple):
    """Where a path passes through a function: at which statement, and in which branches."""

    key: str
    function: int
    statement: int
    branches: frozenset[Branch]


def together(project: Project, one: Ref, other: Ref) -> bool:
    """Whether whenever one of two places is reached, the other one is too, in the same run of the code."""
    ways = _common(project, one, other)
    if ways is None or _excluded(project, *ways):
        return False
    return ways[0].branches <= ways[1].branches or ways[1].branches <= ways[0].branches


def exclusive(project: Project, one: Ref, other: Ref) -> bool:
    """Whether two places certainly never lie on one path: they are in branches of one ``if``."""
    ways = _common(project, one, other)
    return ways is not None and _excluded(project, *ways)


def always_follows(project: Project, one: Ref, other: Ref) -> bool:
    """Whether whenever `one` is reached, `other` is reached after it."""
    ways = _common(project, one, other)
    if ways is None or _excluded(project, *ways):
        return False
    return ways[0].statement < ways[1].statement and ways[1].branches <= ways[0].branches


def always_precedes(project: Project, one: Ref, other: Ref) -> bool:
    """Whether whenever `other` is reached, `one` was reached before it."""
    ways = _common(project, one, other)
    if ways is None or _excluded(project, *ways):
        return False
    return ways[0].statement < ways[1].statement and ways[0].branches <= ways[1].branches


def is_before(project: Project, one: Ref, other: Ref) -> bool | None:
    """Whether one place comes before the other one; None if that cannot be told."""
    ways = _common(project, one, other)
    if ways is None or ways[0].statement == ways[1].statement:
        return None
    return ways[0].statement < ways[1].statement


def _common(project: Project, one: Ref, other: Ref) -> tuple[_Level, _Level] | None:
    """How both places are reached from the innermost function that they have in common."""
    ways = _levels(project, one), _levels(project, other)
    for mine in ways[0]:
        for theirs in ways[1]:
            if (mine.key, mine.function) == (theirs.key, theirs.function):
                return mine, theirs
    return None


def _levels(project: Project, ref: Ref) -> list[_Level]:
    """The functions around a place, the innermost first, as far as each has one caller."""
    found: list[_Level] = []
    branches: frozenset[Branch] = frozenset()
    while len(found) < _DEEPEST_CALL:
        facts = project.facts(ref.key)
        assert facts is not None
        branches |= _branches(project, ref)
        function = code_scope(facts, ref.scope)
        found.append(_Level(ref.key, function, ref.statement, branches))
        if function in (0, NOTHING) or facts.scopes[function].kind != "function":
            break
        only = callers(project, Definition(ref.key, function)).only
        if only is None:
            break
        ref = only
    return found


def _branches(project: Project, ref: Ref) -> frozenset[Branch]:
    """The branches of its function that a place lies in."""
    facts = project.facts(ref.key)
    assert facts is not None
    found: set[Branch] = set()
    statement = facts.statements[ref.statement]
    while statement.parent != NOTHING:
        around = facts.statements[statement.parent]
        if around.kind in _FUNCTIONS:
            break
        if around.kind not in _UNCONDITIONAL and statement.block != "finalbody":
            found.add((ref.key, around.id, statement.block))
        statement = around
    return frozenset(found)


def _excluded(project: Project, one: _Level, other: _Level) -> bool:
    mine, theirs = dict(_by_statement(one)), dict(_by_statement(other))
    if any(theirs.get(statement, block) != block for statement, block in mine.items()):
        return True
    return _is_left(project, one, other) or _is_left(project, other, one)


def _by_statement(level: _Level) -> list[tuple[tuple[str, int], str]]:
    return [((key, statement), block) for key, statement, block in level.branches]


def _is_left(project: Project, one: _Level, other: _Level) -> bool:
    """Whether the function is left in a branch of one place before the other one is reached."""
    return any(
        key == other.key
        and number < other.statement
        and leaves(project.blocks(key), project.blocks(key).get((number, block), ()))
        for key, number, block in one.branches - other.branches
    )
