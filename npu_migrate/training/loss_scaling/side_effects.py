"""What functions of the project change when they are called: which variables, fields and items."""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.index.facts import (
    Attribute,
    Call,
    Constant,
    Expr,
    FileFacts,
    Name,
    Subscript,
    last_name,
    walk,
)
from npu_migrate.index.names import lookup
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.flow import call_targets, externals_called
from npu_migrate.semantics.resolution import Definition
from npu_migrate.semantics.statements import statements_of_scope

_MOST_FUNCTIONS = 60
_CHANGING = frozenset(
    {"update", "setdefault", "pop", "popitem", "clear", "append", "extend", "insert", "remove", "set_hparam"}
)
_SETTERS = frozenset({"setattr", "delattr", "exec", "globals", "vars"})

Chain = tuple[str, ...]
"""A variable with the attributes and items that are read of it: ``self.size``, ``params["scale"]``. Items are
written as Python writes their keys."""


def chain_of(expr: Expr) -> Chain | None:
    """`expr` as a chain, as far as its items are constants; None if it does not begin with a variable."""
    if isinstance(expr, Name):
        return (expr.id,)
    if isinstance(expr, Attribute):
        inner = chain_of(expr.value)
        return None if inner is None else (*inner, expr.attr)
    if isinstance(expr, Subscript):
        inner = chain_of(expr.value)
        return (*inner, repr(expr.item.value)) if inner and isinstance(expr.item, Constant) else inner
    return None


def may_change(project: Project, ref: Ref, chain: Chain) -> bool:
    """Whether a function of the project that code at `ref` calls may change what `chain` leads to there.

    An object may have other names where it is changed, so a store to a field or item of the same name counts.
    """
    facts = project.facts(ref.key)
    assert facts is not None
    root = lookup(facts, ref.scope, chain[0])
    is_global = root is not None and root.scope == 0
    return any(
        (is_global and _rebinds(project, function, ref.key, chain[0]))
        or (len(chain) > 1 and _stores(project, function, chain[1:]))
        for function in _functions_run(project, ref)
    )


def makes_operations(project: Project, ref: Ref) -> bool:
    """Whether evaluating `ref` calls TensorFlow, by itself or through functions of the project."""
    inside = (site for function in _functions_run(project, ref) for site in _calls_of(project, function))
    return any(
        name.startswith("tensorflow.")
        for call in (*_calls_in(project, ref), *inside)
        for name in externals_called(project, call)
    )


def _functions_run(project: Project, ref: Ref) -> Iterator[Definition]:
    """The functions of the project that the expression at `ref` calls, and those that they call."""
    seen: set[Definition] = set()
    waiting = [target for call in _calls_in(project, ref) for target in call_targets(project, call)]
    while waiting and len(seen) < _MOST_FUNCTIONS:
        function = waiting.pop()
        if function in seen:
            continue
        seen.add(function)
        yield function
        for site in _calls_of(project, function):
            waiting.extend(call_targets(project, site))


def _calls_in(project: Project, ref: Ref) -> Iterator[Ref]:
    return (part for part in project.parts(ref) if isinstance(part.expr, Call))


def _calls_of(project: Project, function: Definition) -> Iterator[Ref]:
    facts = project.facts(function.key)
    for site in facts.calls if facts is not None else ():
        if site.scope == function.scope:
            yield ref_of_call(function.key, site)


def _rebinds(project: Project, function: Definition, key: str, name: str) -> bool:
    facts = _facts(project, function)
    scope = facts.scopes[function.scope]
    return function.key == key and scope.outer_names.get(name) == "global" and name in scope.bindings


def _stores(project: Project, function: Definition, way: Chain) -> bool:
    """Whether a function stores to a field or item that `way` goes through, or changes containers."""
    facts = _facts(project, function)
    for statement in statements_of_scope(project, facts, function.scope):
        if any(_is_on(target, way) for target in statement.targets if target is not None):
            return True
    calls = (site.expr for site in _calls_of(project, function))
    called = {last_name(call.func) for call in calls if isinstance(call, Call)}
    return not called.isdisjoint(_CHANGING | _SETTERS)


def _is_on(target: Expr, way: Chain) -> bool:
    for part in walk(target):
        if isinstance(part, Attribute) and part.attr in way:
            return True
        if isinstance(part, Subscript):
            key = repr(part.item.value) if isinstance(part.item, Constant) else None
            if key in way or (key is None and any(not step.isidentifier() for step in way)):
                return True
    return False


def _facts(project: Project, function: Definition) -> FileFacts:
    facts = project.facts(function.key)
    assert facts is not None
    return facts
