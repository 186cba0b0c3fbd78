"""Which object an expression means, and what is written into it: attributes, items, wholesale updates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from npu_migrate.index.facts import (
    NOTHING,
    Attribute,
    Call,
    Constant,
    Expr,
    FileFacts,
    Mapping,
    Name,
    Statement,
    Subscript,
)
from npu_migrate.index.names import lookup
from npu_migrate.index.stores import stored_items
from npu_migrate.project.once import once, once_at_in_cycles
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.flow import origins
from npu_migrate.semantics.resolution import External, receiver_class, symbols

Identity = tuple[object, tuple[object, ...]]
"""An object: where it was made, and the attributes, keys and indices that lead from there to it."""

_DEEPEST = 6
_MOST_ORIGINS = 200
"""How many expressions are looked at for one: of assignments like ``x = x.y`` each leads to all others."""
_UPDATES = ("update", "merge", "override_from_dict", "parse", "parse_json", "set_hparam")
_CHANGES = ("setdefault", "clear", "__setitem__")


class Write(NamedTuple):
    """A store into an object; `value` is None where the stored value cannot be told."""

    value: Ref | None
    place: Ref


@once_at_in_cycles(frozenset())
def identities(project: Project, ref: Ref) -> frozenset[Identity]:
    """The objects that `ref` may mean. Two expressions may mean one object only if they share one."""
    found: set[Identity] = set()
    looked_at = 0
    waiting: list[tuple[Ref, tuple[object, ...], int]] = [(ref, (), 0)]
    while waiting:
        current, rest, depth = waiting.pop()
        for origin in origins(project, current):
            looked_at += 1
            if looked_at > _MOST_ORIGINS:
                found.add((_made_at(project, current), rest))
                break
            way = (*origin.path, *rest)
            known = symbols(project, origin.key, origin.scope, origin.expr)
            inner = _part_of(origin) if depth < _DEEPEST and not known else None
            if known:
                found.update((symbol, way) for symbol in known)
            elif inner is not None:
                whole, part = inner
                waiting.append((whole, (part, *way), depth + 1))
            else:
                found.add((_made_at(project, origin), way))
    return frozenset(found)


def _part_of(ref: Ref) -> tuple[Ref, object] | None:
    """The object of which `ref` is an attribute or item, and its name or key."""
    expr = ref.expr
    if isinstance(expr, Attribute):
        return ref._replace(expr=expr.value, path=()), expr.attr
    if isinstance(expr, Subscript) and isinstance(expr.item, Constant):
        return ref._replace(expr=expr.value, path=()), expr.item.value
    return None


def _made_at(project: Project, ref: Ref) -> object:
    return _variable(project, ref, ref.expr) if isinstance(ref.expr, Name) else id(ref.expr)


def _variable(project: Project, ref: Ref, name: Name) -> object:
    """What tells one unknown variable from another: its scope and name."""
    facts = project.facts(ref.key)
    assert facts is not None
    found = lookup(facts, ref.scope, name.id)
    return (ref.key, NOTHING if found is None else found.scope, name.id)


def is_obscure(project: Project, ref: Ref) -> bool:
    """Whether `ref` may mean any object at all, such as a parameter that nobody visibly fills."""
    for origin in origins(project, ref):
        if isinstance(origin.expr, Name) and not symbols(project, origin.key, origin.scope, origin.expr):
            facts = project.facts(origin.key)
            assert facts is not None
            if receiver_class(facts, origin.scope, origin.expr.id) == NOTHING:
                return True
    return False


def attribute_writes(
    project: Project, files: frozenset[str], target: frozenset[Identity], attr: str
) -> Iterator[Write]:
    """The stores to attribute `attr` of the objects `target`, those on unknown objects included."""
    for key in project.files_mentioning(attr):
        facts = project.facts(key)
        assert facts is not None
        for site in project.attributes(key, attr) if key in files else ():
            expr = site.expr
            assert isinstance(expr, Attribute)
            if site.stored:
                receiver = Ref(key, site.scope, site.statement, expr.value)
                if identities(project, receiver) & target or is_obscure(project, receiver):
                    yield Write(_stored(facts, site.statement, expr), receiver)
    for ref, call in _calls(project, files, "setattr"):
        if len(call.args) == 3 and _may_be(call.args[1], attr):
            receiver = ref._replace(expr=call.args[0])
            if identities(project, receiver) & target:
                exact = isinstance(call.args[1], Constant)
                yield Write(ref._replace(expr=call.args[2]) if exact else None, receiver)


def item_writes(
    project: Project, files: frozenset[str], target: frozenset[Identity], key: Any
) -> Iterator[Write]:
    """The stores to item `key` of the dictionaries `target`: ``d[key] = …``, ``d.update(…)`` and the like."""
    for facts in _relevant(project, files):
        for statement, item in _stored_items(project, facts.key):
            if _may_be(item.item, key):
                receiver = Ref(facts.key, statement.scope, statement.id, item.value)
                if identities(project, receiver) & target:
                    exact = isinstance(item.item, Constant)
                    yield Write(_stored(facts, statement.id, item) if exact else None, receiver)
    for method in _CHANGES:
        for ref, call in _calls(project, files, method):
            if isinstance(call.func, Attribute) and (not call.args or _may_be(call.args[0], key)):
                receiver = ref._replace(expr=call.func.value)
                if identities(project, receiver) & target:
                    yield Write(None, receiver)
    yield from _updates(project, files, target, key)


def _updates(
    project: Project, files: frozenset[str], target: frozenset[Identity], key: Any
) -> Iterator[Write]:
    for receiver, ref, call in wholesale_updates(project, files, target):
        starred = any(keyword.name is None for keyword in call.keywords)
        given = call.args[0] if len(call.args) == 1 else None
        named = [keyword.value for keyword in call.keywords if keyword.name == key]
        yield from (Write(ref._replace(expr=value), receiver) for value in named)
        if starred or (call.args and not isinstance(given, Mapping)):
            yield Write(None, receiver)
        elif isinstance(given, Mapping):
            for index, value in zip(given.keys, given.values, strict=True):
                if index is None or _may_be(index, key):
                    yield Write(ref._replace(expr=value) if isinstance(index, Constant) else None, receiver)


def wholesale_updates(
    project: Project, files: frozenset[str], target: frozenset[Identity]
) -> Iterator[tuple[Ref, Ref, Call]]:
    """The calls, such as ``x.update(other)``, that may change any part of the objects.

    Yields the receiver, and the call twice: in its place and by itself.
    """
    for method in _UPDATES:
        for ref, call in _calls(project, files, method):
            if isinstance(call.func, Attribute):
                receiver = ref._replace(expr=call.func.value)
                if identities(project, receiver) & target:
                    yield receiver, ref, call


def _may_be(expr: Expr, key: Any) -> bool:
    return not isinstance(expr, Constant) or bool(expr.value == key)


def _relevant(project: Project, files: frozenset[str]) -> Iterator[FileFacts]:
    return (facts for facts in project.relevant() if facts.key in files)


def _calls(project: Project, files: frozenset[str], name: str) -> Iterator[tuple[Ref, Call]]:
    for key, site in project.calls_named(name):
        if key in files:
            yield ref_of_call(key, site), site.call


@once
def _stored_items(project: Project, key: str) -> tuple[tuple[Statement, Subscript], ...]:
    """All ``x[…] = …`` of a file."""
    facts = project.facts(key)
    return tuple(
        (statement, target)
        for statement in (facts.statements if facts is not None else ())
        for target in stored_items(statement)
    )


def _stored(facts: FileFacts, number: int, target: Expr) -> Ref | None:
    """The value that a plain assignment stores to `target`; None for any other statement."""
    statement = facts.statements[number]
    if statement.kind in ("Assign", "AnnAssign") and target in statement.targets:
        return Ref(facts.key, statement.scope, number, statement.values[0])
    return None


def outside_name(project: Project, ref: Ref) -> str | None:
    """The canonical name of the one thing outside the project that `ref` means, aliases followed."""
    names = set()
    for origin in origins(project, ref):
        if isinstance(origin.expr, Constant) and origin.expr.value is None:
            continue
        found = () if origin.path else symbols(project, origin.key, origin.scope, origin.expr)
        if len(found) != 1 or not isinstance(found[0], External):
            return None
        names.add(found[0].name)
    return names.pop() if len(names) == 1 else None
