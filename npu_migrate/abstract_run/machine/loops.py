"""How often a loop is gone through: as often as one more round can tell something new."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.abstract_run.machine.run import Run, is_plain
from npu_migrate.abstract_run.machine.values import Frame, Generator, Sequence, Table, Unknown, Value
from npu_migrate.index.facts import FileFacts, Scope, Statement

FEW = 4
"""So many rounds of a known loop over numbers or texts are gone through; of a longer one three are."""
_MOST = 64


class Rounds(NamedTuple):
    """The items of a loop, and how many of them are looked at.

    In the round number `last` the item is any of the rest. The loop is `open` if it may have no round.
    """

    items: Iterator[Value]
    most: int
    last: int = -1
    open: bool = False

    def none(self) -> Rounds:
        """No round at all."""
        return Rounds(iter(()), 0)


def rounds_of(run: Run, over: Value) -> Rounds:
    """The rounds of a loop over a value."""
    if isinstance(over, (tuple, Sequence, Table, str)):
        items = list(over) if isinstance(over, (tuple, str)) else list(over.items)
        vague = isinstance(over, (Sequence, Table)) and over.vague
        if vague:
            return Rounds(iter(items * 2 if len(items) < 2 else items), max(2, len(items)), open=True)
        if len(items) > FEW and all(map(is_plain, items)):
            return Rounds(iter(items), 3, last=2)
        return Rounds(run.items(over), _MOST)
    if isinstance(over, Generator):
        return Rounds(run.items(over), 3)
    if isinstance(over, Unknown) or not getattr(over, "is_closed", False):
        return Rounds(run.items(over), 2, open=True)
    return Rounds(run.items(over), _MOST)


def is_cut(rounds: Rounds) -> bool:
    """Whether a loop may have more rounds than are looked at."""
    return rounds.most < _MOST


def names_bound_in(frame: Frame, statement: Statement) -> tuple[str, ...]:
    """The names that a compound statement binds in its own scope, at any depth."""
    return _names_bound(frame.facts, frame.scope, statement.id) if frame.scope.bindings else ()


def end_of(facts: FileFacts, number: int) -> int:
    """The number behind the last statement within a compound one."""
    end = number + 1
    while end < len(facts.statements) and facts.statements[end].parent >= number:
        end += 1
    return end


def _names_bound(facts: FileFacts, scope: Scope, number: int) -> tuple[str, ...]:
    end = end_of(facts, number)
    return tuple(
        name
        for name, bindings in scope.bindings.items()
        if name not in scope.outer_names and any(number <= one.statement < end for one in bindings)
    )
