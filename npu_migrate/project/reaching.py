"""Which bindings of a name may be the last ones before a statement runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from npu_migrate.index.facts import (
    NOTHING,
    Attribute,
    Binding,
    Call,
    Expr,
    FileFacts,
    Name,
    Statement,
    Subscript,
)
from npu_migrate.index.names import Found, ancestors, enclosing_function

_LOOPS = frozenset({"For", "AsyncFor", "While"})
_EXITS = frozenset({"Return", "Raise", "Continue", "Break"})
_PLAIN = frozenset(
    {
        "Assign",
        "AnnAssign",
        "AugAssign",
        "FunctionDef",
        "AsyncFunctionDef",
        "ClassDef",
        "Import",
        "ImportFrom",
        "Delete",
        "For",
        "AsyncFor",
        "With",
        "AsyncWith",
        "Try",
        "TryStar",
        "Match",
    }
)
"""Statements that bind names as statements, not by ``:=`` somewhere inside."""


class _Effect(NamedTuple):
    """What running something may leave bound; `passes`: the bindings from before may still hold after it."""

    bindings: tuple[Binding, ...]
    passes: bool


Blocks = dict[tuple[int, str], tuple[Statement, ...]]
"""The statements of a file by the compound statement they lie in and the part of it."""


def blocks_of(facts: FileFacts) -> Blocks:
    """All blocks of a file."""
    found: dict[tuple[int, str], list[Statement]] = {}
    for statement in facts.statements:
        found.setdefault((statement.parent, statement.block), []).append(statement)
    return {place: tuple(statements) for place, statements in found.items()}


def reaching(
    facts: FileFacts, blocks: Blocks, found: Found, name: str, statement: int
) -> tuple[Binding, ...] | None:
    """The bindings out of `found` that may hold when `statement`, of the same run of code, starts.

    None where that cannot be told: another function rebinds the name, or ``:=`` does. Never leaves out a
    binding that may hold, but may contain some that cannot.
    """
    bindings = all_bindings(facts, found, name)
    if any(_runs_elsewhere(facts, binding, found.scope) for binding in bindings):
        return None
    return _Walk(facts, blocks, found.scope, bindings).before(statement)


def held_bindings(
    facts: FileFacts, blocks: Blocks, found: Found, name: str, scope: int, statement: int
) -> tuple[Binding, ...] | None:
    """As `reaching`, for a variable that an expression of `statement` reads in `scope`; None also where
    another run of code reads it than the one that binds it."""
    home = enclosing_function(facts, facts.statements[statement].scope)
    if not runs_at_once(facts, scope, found.scope) or home != enclosing_function(facts, found.scope):
        return None
    return reaching(facts, blocks, found, name, statement)


def last_statements(
    facts: FileFacts, blocks: Blocks, function: int, stores: Iterable[int], statement: int
) -> frozenset[int] | None:
    """Which of the statements `stores` of a function may be the last one that ran before `statement`.

    None where none of them may have run yet, so that what was there before the function still holds.
    """
    at_entry = Binding("param", facts.scopes[function].statement)
    bindings = (at_entry, *(Binding("assign", number) for number in stores))
    last = _Walk(facts, blocks, function, bindings).before(statement)
    return None if at_entry in last else frozenset(binding.statement for binding in last)


def all_bindings(facts: FileFacts, found: Found, name: str) -> tuple[Binding, ...]:
    """The bindings of `found` and those that inner functions add by ``nonlocal``."""
    added: list[Binding] = []
    # Scopes are numbered as they begin, so the inner ones follow at once.
    for number in range(found.scope + 1, len(facts.scopes)):
        scope = facts.scopes[number]
        if not _lies_in(facts, number, found.scope):
            break
        if scope.outer_names.get(name) == "nonlocal":
            added.extend(scope.bindings.get(name, ()))
    return found.bindings + tuple(added)


def rebinds_by_name(facts: FileFacts) -> bool:
    """Whether a module may rebind its variables by computed names: ``exec``, ``globals()[…] = …``."""
    if "exec" in facts.words and any(_calls(site.call, "exec") for site in facts.calls):
        return True
    if "globals" not in facts.words:
        return False
    return any(
        isinstance(target, Subscript) and _calls(target.value, "globals")
        for statement in facts.statements
        for target in statement.targets
    ) or any(
        isinstance(site.call.func, Attribute)
        and site.call.func.attr == "update"
        and _calls(site.call.func.value, "globals")
        for site in facts.calls
    )


def _calls(expr: Expr, name: str) -> bool:
    return isinstance(expr, Call) and isinstance(expr.func, Name) and expr.func.id == name


def runs_at_once(facts: FileFacts, scope: int, outer: int) -> bool:
    """Whether code in `scope` runs where it stands in `outer`, not later in a function or lambda."""
    current = facts.scopes[scope]
    while current.id != outer:
        if current.kind in ("function", "lambda") or current.parent == NOTHING:
            return False
        current = facts.scopes[current.parent]
    return True


def always_returns(blocks: Blocks, function: int) -> bool:
    """Whether the function of the def statement `function` never falls off its end, returning None."""
    return _exits(blocks, blocks.get((function, "body"), ()), frozenset({"Return", "Raise"}))


def leaves(blocks: Blocks, block: tuple[Statement, ...]) -> bool:
    """Whether the code behind a block is never reached from inside it."""
    return _exits(blocks, block, _EXITS)


def _exits(blocks: Blocks, block: tuple[Statement, ...], kinds: frozenset[str]) -> bool:
    if not block:
        return False
    last = block[-1]
    if last.kind in kinds:
        return True
    if last.kind in ("With", "AsyncWith"):
        return _exits(blocks, blocks.get((last.id, "body"), ()), kinds)
    if last.kind == "If":
        return all(_exits(blocks, blocks.get((last.id, name), ()), kinds) for name in ("body", "orelse"))
    return False


def _lies_in(facts: FileFacts, scope: int, outer: int) -> bool:
    current = facts.scopes[scope]
    while current.parent != NOTHING:
        if current.parent == outer:
            return True
        current = facts.scopes[current.parent]
    return False


def _runs_elsewhere(facts: FileFacts, binding: Binding, scope: int) -> bool:
    if binding.kind == "param":
        return False
    statement = facts.statements[binding.statement]
    if binding.kind == "comprehension" or statement.kind not in _PLAIN:
        return True
    if binding.kind == "assign" and binding.value is not None:
        named = statement.kind not in ("Assign", "AnnAssign") or binding.value is not statement.values[0]
        if named:
            return True
    return statement.scope != scope


class _Walk:
    """Walks backwards from a statement, one scope only."""

    def __init__(self, facts: FileFacts, blocks: Blocks, scope: int, bindings: tuple[Binding, ...]) -> None:
        self.facts = facts
        self.blocks = blocks
        self.scope = scope
        self.bindings = bindings
        self.at: dict[int, tuple[Binding, ...]] = {}
        for binding in bindings:
            if binding.kind != "param":
                self.at[binding.statement] = (*self.at.get(binding.statement, ()), binding)

    def before(self, number: int) -> tuple[Binding, ...]:
        found: list[Binding] = []
        statement = self.facts.statements[number]
        if statement.kind == "While":
            found.extend(self.inside(number))
        while True:
            siblings = self.blocks[statement.parent, statement.block][: statement.position]
            effect = self.block(siblings)
            found.extend(effect.bindings)
            if not effect.passes:
                break
            parent = statement.parent
            if parent == NOTHING or self.facts.statements[parent].defines == self.scope:
                found.extend(binding for binding in self.bindings if binding.kind == "param")
                break
            around = self.facts.statements[parent]
            own = self.at.get(parent, ())
            if around.kind in ("For", "AsyncFor") and statement.block == "body" and own:
                return _unique([*found, *self.inside(parent)])
            if around.kind in _LOOPS or around.kind in ("Try", "TryStar"):
                found.extend(self.inside(parent))
            elif own and around.kind in ("With", "AsyncWith"):
                found.extend(own)
                break
            elif own:
                found.extend(own)
            statement = around
        return _unique(found)

    def block(self, statements: tuple[Statement, ...]) -> _Effect:
        found: list[Binding] = []
        for statement in reversed(statements):
            effect = self.effect(statement)
            found.extend(effect.bindings)
            if not effect.passes:
                return _Effect(tuple(found), False)
        return _Effect(tuple(found), True)

    def branch(self, number: int, name: str) -> _Effect:
        statements = self.blocks.get((number, name), ())
        return _Effect((), False) if leaves(self.blocks, statements) else self.block(statements)

    def effect(self, statement: Statement) -> _Effect:
        kind = statement.kind
        own = self.at.get(statement.id, ())
        if kind == "If":
            body, orelse = self.branch(statement.id, "body"), self.branch(statement.id, "orelse")
            return _Effect((*body.bindings, *orelse.bindings), body.passes or orelse.passes)
        if kind in ("With", "AsyncWith"):
            body = self.branch(statement.id, "body")
            if not body.passes:
                return body
            return _Effect((*body.bindings, *own), not own)
        if kind in _LOOPS or kind in ("Try", "TryStar", "Match"):
            return _Effect(self.inside(statement.id), True)
        return _Effect(own, not own)

    def inside(self, number: int) -> tuple[Binding, ...]:
        """Every binding by a compound statement and by the statements in it."""
        return tuple(
            binding
            for binding in self.bindings
            if binding.kind != "param"
            and (binding.statement == number or number in ancestors(self.facts, binding.statement))
        )


def _unique(bindings: list[Binding]) -> tuple[Binding, ...]:
    return tuple({id(binding): binding for binding in bindings}.values())
