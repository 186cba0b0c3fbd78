"""Lists that ``npu_hooks_append`` has appended to, and who reads their last item afterwards.

Sources: CODE:npu_init.py, FAQ:hook_index_error_fix.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import (
    NOTHING,
    Attribute,
    Call,
    Collection,
    Constant,
    Expr,
    FileFacts,
    Name,
    Operation,
    Statement,
    Subscript,
    walk,
)
from npu_migrate.index.names import lookup, spelled
from npu_migrate.knowledge.npu_calls import APPENDERS
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.parameters import argument_for
from npu_migrate.semantics.calls.passing import passed_objects
from npu_migrate.semantics.flow import call_sites, origins
from npu_migrate.semantics.resolution import Definition, receiver_class
from npu_migrate.semantics.statements import statements_of_scope
from npu_migrate.training.npu.configs import calls_of
from npu_migrate.training.npu.options.paths import always_precedes, is_before
from npu_migrate.training.pipelines.order import certainly_before, runs_unconditionally

_CHANGING = frozenset({"append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse"})


_DEEPEST = 4


class MovedIndex(NamedTuple):
    """The index of the last item of a list, behind the call that has appended to it."""

    item: Ref
    appended: Ref


def moved_indices(project: Project) -> Iterator[MovedIndex]:
    """All indices of the last items of lists that npu_bridge has appended to."""
    for name, parameter in APPENDERS.items():
        for call in calls_of(project, name):
            passed = passed_objects(project, call, parameter, 0)
            if passed.direct:
                yield from _behind_calls(project, call, passed.values[0], call, 0)


def _behind_calls(project: Project, call: Ref, given: Ref, appended: Ref, depth: int) -> Iterator[MovedIndex]:
    """The indices behind a call that makes the list `given` longer, and behind those of its function."""
    facts = project.facts(call.key)
    assert facts is not None
    word = spelled(given.expr)
    if word is None or depth > _DEEPEST:
        return
    if _is_list(project, given):
        yield from _behind(project, facts, call, word, appended)
        yield from _in_other_functions(project, facts, call, given.expr, word, appended)
    target = _parameter(facts, given)
    if target is not None and runs_unconditionally(facts, call.statement):
        for site in call_sites(project, target):
            outer = argument_for(project, site, target, word)
            if outer is not None:
                yield from _behind_calls(project, site, outer, appended, depth + 1)


def _parameter(facts: FileFacts, given: Ref) -> Definition | None:
    """The function whose parameter a name is, if nothing in it gives the name another value."""
    if not isinstance(given.expr, Name):
        return None
    found = lookup(facts, given.scope, given.expr.id)
    if found is None or [one.kind for one in found.bindings] != ["param"]:
        return None
    return Definition(given.key, found.scope)


def _is_list(project: Project, value: Ref) -> bool:
    """Whether a value is certainly a list: of what is none npu_bridge makes a new one."""
    found = origins(project, value)
    return bool(found) and all(
        isinstance(one.expr, Collection) and one.expr.kind == "List" and not one.path for one in found
    )


def _behind(project: Project, facts: FileFacts, call: Ref, word: str, appended: Ref) -> Iterator[MovedIndex]:
    for statement in statements_of_scope(project, facts, facts.statements[call.statement].scope):
        if statement.id <= call.statement or not certainly_before(facts, call.statement, statement.id):
            continue
        yield from _last_items(facts, statement, word, appended)
        if _changes(facts, statement.id, word):
            return


def _in_other_functions(
    project: Project, facts: FileFacts, call: Ref, expr: Expr, word: str, appended: Ref
) -> Iterator[MovedIndex]:
    """The indices in other functions that share a list: a variable of the module, or a field of ``self``."""
    own = facts.statements[call.statement].scope
    shared = [
        statement
        for statement in facts.statements
        if word.rpartition(".")[2] in _words(facts, statement) and _shares(facts, call, statement, expr)
    ]
    changing = [one for one in shared if _changes(facts, one.id, word) and not _constructs(facts, one)]
    places = {one.id: Ref(facts.key, one.scope, one.id, call.expr) for one in shared}
    if not all(is_before(project, places[one.id], call) for one in changing):
        return
    for statement in shared:
        if statement.scope != own and always_precedes(project, call, places[statement.id]):
            yield from _last_items(facts, statement, word, appended)


def _constructs(facts: FileFacts, statement: Statement) -> bool:
    """Whether a statement makes a field, before any other method of the object can run."""
    return facts.scopes[statement.scope].name == "__init__"


def _words(facts: FileFacts, statement: Statement) -> Iterator[str]:
    return (
        part.id if isinstance(part, Name) else part.attr
        for value in (*statement.values, *(one for one in statement.targets if one is not None))
        for part in walk(value)
        if isinstance(part, (Name, Attribute))
    )


def _shares(facts: FileFacts, call: Ref, statement: Statement, expr: Expr) -> bool:
    """Whether the expression of a list means the same list in a statement as at the call."""
    if isinstance(expr, Name):
        here, there = (lookup(facts, scope, expr.id) for scope in (call.scope, statement.scope))
        return here is not None and there is not None and here.scope == there.scope == 0
    if not isinstance(expr, Attribute) or not isinstance(expr.value, Name):
        return False
    owners = {receiver_class(facts, scope, expr.value.id) for scope in (call.scope, statement.scope)}
    return len(owners) == 1 and NOTHING not in owners


def _last_items(facts: FileFacts, statement: Statement, word: str, appended: Ref) -> Iterator[MovedIndex]:
    for part in (part for value in statement.values for part in walk(value)):
        if isinstance(part, Subscript) and spelled(part.value) == word and _is_last(part.item):
            yield MovedIndex(Ref(facts.key, statement.scope, statement.id, part.item), appended)


def _is_last(item: Expr) -> bool:
    """Whether an index is ``-1``. Whoever writes ``-2`` may know of the hook behind."""
    inner = item.operands[0] if isinstance(item, Operation) and item.operator == "USub" else None
    return isinstance(inner, Constant) and inner.value == 1


def _changes(facts: FileFacts, number: int, word: str) -> bool:
    """Whether a statement gives the list another length, or the variable another value."""
    statement = facts.statements[number]
    if any(target is not None and spelled(target) == word for target in statement.targets):
        return True
    return any(
        isinstance(part, Call)
        and isinstance(part.func, Attribute)
        and part.func.attr in _CHANGING
        and spelled(part.func.value) == word
        for value in statement.values
        for part in walk(value)
    )
