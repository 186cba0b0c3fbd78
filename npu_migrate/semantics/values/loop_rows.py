"""Loops over a table that stands in the code: what their variables hold, turn by turn.

``for key, value in (("a", 1), ("b", 2))`` and ``for key, value in {"a": 1, "b": 2}.items()``; also
``options.items()`` for the ``**options`` of a function that is called once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from npu_migrate.index.facts import (
    NOTHING,
    Attribute,
    Call,
    Collection,
    Constant,
    Expr,
    FileFacts,
    Keyword,
    Mapping,
    Name,
    Statement,
    is_starred,
    last_name,
)
from npu_migrate.index.names import enclosing_function
from npu_migrate.index.stores import leaves
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.callers import callers
from npu_migrate.semantics.calls.parameters import argument_for
from npu_migrate.semantics.flow import origins
from npu_migrate.semantics.resolution import Definition
from npu_migrate.semantics.statements import names_of_scope

_IMPORTS = ("Import", "ImportFrom")

Row = dict[str, Ref]
"""The expressions that the variables of a loop hold in one turn, by name."""


def rows(project: Project, name: Ref) -> tuple[Row, ...] | None:
    """The turns of the loop whose variable the name is; None if there is none, or not all are in view."""
    loop = _loop_that_binds(project, name)
    table = None if loop is None else _table(project, Ref(name.key, loop.scope, loop.id, loop.values[0]))
    if loop is None or table is None:
        return None
    found = [_row(loop.targets[0], item) for item in table]
    complete = tuple(row for row in found if row is not None)
    return complete if len(complete) == len(found) else None


def _loop_that_binds(project: Project, name: Ref) -> Statement | None:
    """The innermost loop around a name that binds it, in the same scope, if nothing in it binds it again."""
    facts = cast(FileFacts, project.facts(name.key))
    bound = [
        statement
        for statement in facts.statements
        if statement.scope == name.scope
        and any(cast(Name, name.expr).id in _names_in(target) for target in statement.targets)
    ]
    around = list(_statements_around(facts, name.statement))
    loop = next((one for one in reversed(bound) if one.kind == "For" and one.id in around), None)
    if loop is None or any(loop.id in _statements_around(facts, one.parent) for one in bound):
        return None
    return loop


def _statements_around(facts: FileFacts, number: int) -> Iterator[int]:
    while number != NOTHING:
        yield number
        number = facts.statements[number].parent


def _names_in(target: Expr | None) -> tuple[str, ...]:
    """The names that a target binds."""
    return tuple(leaf.id for leaf in leaves((target,)) if isinstance(leaf, Name))


def _items(expr: Expr | None) -> tuple[Expr, ...]:
    return expr.items if isinstance(expr, Collection) else ()


def _table(project: Project, iterable: Ref) -> tuple[tuple[Ref, ...] | Ref, ...] | None:
    """What each turn takes from a display, or from the pairs of a dict display that nothing else mentions."""
    expr = iterable.expr
    pairs = isinstance(expr, Call) and isinstance(expr.func, Attribute) and expr.func.attr == "items"
    inner = iterable._replace(expr=cast(Attribute, cast(Call, expr).func).value) if pairs else iterable
    passed = _keywords_passed(project, inner) if pairs else None
    if passed is not None:
        return passed
    display = _display(project, inner)
    if display is None:
        return None
    if isinstance(display.expr, Mapping):
        keys, values = display.expr.keys, display.expr.values
        if None in keys:
            return None
        refs = [display._replace(expr=cast(Expr, key)) for key in keys]
        given = [display._replace(expr=value) for value in values]
        return tuple(zip(refs, given, strict=True)) if pairs else tuple(refs)
    return None if pairs else tuple(display._replace(expr=item) for item in _items(display.expr))


def _display(project: Project, ref: Ref) -> Ref | None:
    """The display that an expression is, or that a name stands for which only its loop reads."""
    if isinstance(ref.expr, (Attribute, Name)):
        found = origins(project, ref)
        if len(found) != 1 or not _is_only_read(project, ref, found[0]):
            return None
        ref = found[0]
    return ref if isinstance(ref.expr, (Collection, Mapping)) and not ref.path else None


def _is_only_read(project: Project, name: Ref, display: Ref) -> bool:
    """Whether a name stands for a display that nothing but `name` and the display's own statement mentions.

    A parameter is followed to the only call of its function, an imported name into the other file.
    """
    if name.expr is display.expr:
        return True
    if not isinstance(name.expr, (Attribute, Name)):
        return False
    word = last_name(name.expr) or ""
    facts = cast(FileFacts, project.facts(name.key))
    mentions = {one for one in facts.words[word] if facts.statements[one].kind not in _IMPORTS}
    if name.key == display.key and mentions == {name.statement, display.statement}:
        return True
    if mentions != {name.statement}:
        return False
    given = _only_argument(project, facts, name)
    if given is not None:
        return _is_only_read(project, given, display)
    elsewhere = project.neighbours(name.key) - {name.key, display.key}
    there = cast(FileFacts, project.facts(display.key)).words.get(word, ())
    return set(there) == {display.statement} and not any(
        project.contains(key, word.encode()) for key in elsewhere
    )


def _only_argument(project: Project, facts: FileFacts, name: Ref) -> Ref | None:
    """What the only call of a function passes for the parameter that a name stands for."""
    target = _function_with_parameter(facts, name)
    site = None if target is None else callers(project, target).only
    if target is None or site is None or not isinstance(name.expr, Name):
        return None
    return argument_for(project, site, target, name.expr.id)


def _keywords_passed(project: Project, name: Ref) -> tuple[tuple[Ref, Ref], ...] | None:
    """The names and values that the only call of a function passes for its ``**options``.

    None where the name is no such parameter, where something else mentions it, and where the call has stars.
    """
    facts = cast(FileFacts, project.facts(name.key))
    target = _function_with_parameter(facts, name)
    site = None if target is None else callers(project, target).only
    if target is None or site is None or not isinstance(name.expr, Name) or not isinstance(site.expr, Call):
        return None
    parameters = {one.name: one.kind for one in facts.scopes[target.scope].parameters}
    mentions = names_of_scope(project, name.key, name.expr.id, target.scope)
    if parameters[name.expr.id] != "varkeywords" or [one.expr for one in mentions] != [name.expr]:
        return None
    if any(map(is_starred, site.expr.args)) or any(one.name is None for one in site.expr.keywords):
        return None
    return tuple(
        (site._replace(expr=_name_of(keyword)), site._replace(expr=keyword.value))
        for keyword in site.expr.keywords
        if keyword.name not in parameters
    )


def _name_of(keyword: Keyword) -> Constant:
    """The name of a keyword argument as a text, which stands where the name does."""
    line, column, _, _ = keyword.span
    name = keyword.name or ""
    return Constant(name, (line, column, line, column + len(name.encode())))


def _function_with_parameter(facts: FileFacts, name: Ref) -> Definition | None:
    function = enclosing_function(facts, name.scope)
    parameters = facts.scopes[function].parameters if function else ()
    is_one = isinstance(name.expr, Name) and name.expr.id in [one.name for one in parameters]
    return Definition(name.key, function) if is_one else None


def _row(target: Expr | None, item: tuple[Ref, ...] | Ref) -> Row | None:
    if isinstance(target, Name):
        return {target.id: item} if isinstance(item, Ref) else None
    parts = tuple(item._replace(expr=one) for one in _items(item.expr)) if isinstance(item, Ref) else item
    names = [one.id for one in _items(target) if isinstance(one, Name)]
    if len(names) != len(parts) or len(names) != len(_items(target)):
        return None
    return dict(zip(names, parts, strict=True))
