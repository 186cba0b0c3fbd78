"""The keys and values of a write: one for each turn of a loop over a table, or each call of a function."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from npu_migrate.index.facts import (
    NOTHING,
    Attribute,
    Binding,
    Call,
    Collection,
    Expr,
    Name,
    Operation,
    Statement,
    walk,
)
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.callers import callers
from npu_migrate.semantics.calls.parameters import argument_for
from npu_migrate.semantics.flow import externals_called
from npu_migrate.semantics.resolution import Definition
from npu_migrate.semantics.values.evaluation import evaluate
from npu_migrate.semantics.values.evidence import conditions_at
from npu_migrate.semantics.values.loop_rows import Row, rows

_KINDS: dict[str, type] = {"bool": bool, "int": int, "str": str, "bytes": bytes, "float": float}


class Pair(NamedTuple):
    """A key with its value: see `ParameterWrite`."""

    text: str | None
    key: Ref
    value: Ref | None
    at: Ref
    converted: bool


def written_pairs(project: Project, key: Ref, value: Ref | None, target: Ref) -> Iterator[Pair]:
    """The pairs that a write to `target` stands for; one pair without a key if they cannot be told.

    A value that all turns or calls share is left open: it could not be changed for one key alone.
    """
    given, converted = _unconverted(project, value)
    turns = _turns(project, key)
    if turns is None:
        yield Pair(_text(project, key), key, value, target, False)
        return
    assert isinstance(key.expr, Name)
    for turn, at in turns:
        shared = given is None or not isinstance(given.expr, Name)
        own = None if shared or given is None else turn.get(_name(given.expr))
        runs = _runs(project, target, turn)
        if runs is None:
            yield Pair(None, key, None, target, False)
        elif runs:
            named = turn[key.expr.id]
            yield Pair(_text(project, named), named, own, at or target, converted)


def _name(expr: Expr) -> str:
    return expr.id if isinstance(expr, Name) else ""


def _text(project: Project, ref: Ref) -> str | None:
    known = evaluate(project, ref).only
    return known.constant if known is not None and isinstance(known.constant, str) else None


def _unconverted(project: Project, value: Ref | None) -> tuple[Ref | None, bool]:
    """What is made bytes of by ``tf.compat.as_bytes(…)`` or ``….encode()``, and whether it is at all."""
    call = None if value is None else value.expr
    if value is None or not isinstance(call, Call):
        return value, False
    if isinstance(call.func, Attribute) and call.func.attr == "encode":
        return value._replace(expr=call.func.value), True
    if len(call.args) == 1 and externals_called(project, value) & set(project.libraries.conversions):
        return value._replace(expr=call.args[0]), True
    return value, False


# -- loops and functions -------------------------------------------------------------------------------


def _turns(project: Project, key: Ref) -> tuple[tuple[Row, Ref | None], ...] | None:
    """What the variables hold in each turn of a loop, or in each call of a function, with that call."""
    if not isinstance(key.expr, Name):
        return None
    found = rows(project, key)
    if found is not None:
        return tuple((turn, None) for turn in found)
    return _calls(project, key, key.expr.id)


def _calls(project: Project, key: Ref, name: str) -> tuple[tuple[Row, Ref | None], ...] | None:
    facts = project.facts(key.key)
    assert facts is not None
    scope = facts.scopes[key.scope]
    parameters = [one.name for one in scope.parameters if _is_bound_once(scope.bindings, one.name)]
    if scope.kind != "function" or name not in parameters:
        return None
    target = Definition(key.key, key.scope)
    known = callers(project, target)
    if not known.sites or not known.all_seen:
        return None
    found: list[tuple[Row, Ref | None]] = []
    for site in known.sites:
        given = {one: argument_for(project, site, target, one) for one in parameters}
        row = {one: ref for one, ref in given.items() if ref is not None}
        if name not in row:
            return None
        found.append((row, site))
    return tuple(found)


def _is_bound_once(bindings: Mapping[str, tuple[Binding, ...]], name: str) -> bool:
    return [binding.kind for binding in bindings.get(name, ())] == ["param"]


# -- conditions ----------------------------------------------------------------------------------------


def _runs(project: Project, target: Ref, turn: Row) -> bool | None:
    """Whether the write runs in a turn, as far as conditions on its variables decide; None if unknown."""
    facts = project.facts(target.key)
    assert facts is not None
    decided: set[Expr] = set()
    statement = facts.statements[target.statement]
    while statement.parent != NOTHING:
        around = facts.statements[statement.parent]
        if around.kind in ("FunctionDef", "AsyncFunctionDef", "ClassDef"):
            break
        if around.kind == "If":
            holds = _kind_test(project, around, turn)
            if holds is not None and holds is not (statement.block == "body"):
                return False
            decided |= set(around.values) if holds is not None else set()
        statement = around
    others = [one for one in conditions_at(project, target) if one not in decided]
    return None if any(_mentions(one, turn) for one in others) else True


def _mentions(condition: Expr, turn: Row) -> bool:
    return any(isinstance(part, Name) and part.id in turn for part in walk(condition))


def _kind_test(project: Project, branch: Statement, turn: Row) -> bool | None:
    """What ``isinstance(value, int)`` or ``type(value) == int`` says in a turn; None for other tests."""
    test = branch.values[0]
    exact = isinstance(test, Operation) and test.operator in ("Eq", "Is") and len(test.operands) == 2
    call, kinds = test.operands if exact and isinstance(test, Operation) else (test, None)
    if not isinstance(call, Call) or not isinstance(call.func, Name) or len(call.args) != 2 - exact:
        return None
    if call.func.id != ("type" if exact else "isinstance"):
        return None
    value = turn.get(_name(call.args[0]))
    known = None if value is None else evaluate(project, value).only
    kinds = call.args[1] if kinds is None else kinds
    names = [_name(one) for one in (kinds.items if isinstance(kinds, Collection) else (kinds,))]
    if known is None or not set(names) <= _KINDS.keys():
        return None
    wanted = tuple(_KINDS[name] for name in names)
    return type(known.constant) in wanted if exact else isinstance(known.constant, wanted)
