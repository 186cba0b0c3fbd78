"""What stores to targets: assignments, loops, context managers, ``:=`` and ``del``."""

from __future__ import annotations

import ast

from npu_migrate.index.building.walk import ExpressionHandlers, StatementHandlers, Walk, span_of
from npu_migrate.index.facts import Binding, Collection, Expr, Name, Other, Part, Rest


def store(
    walk: Walk,
    target: ast.expr,
    kind: str,
    value: Expr,
    path: tuple[int, ...] = (),
    scope: int | None = None,
) -> Expr:
    """Record the names that storing `value` to `target` binds, and return the target as an expression.

    `kind` and `path` are those of a `Binding`; `scope` is that of the names in `value`, the present one if it
    is left out.
    """
    if scope is None:
        scope = walk.scope.number
    if isinstance(target, ast.Name):
        walk.words[target.id].append(walk.statement)
        walk.bind(target.id, Binding(kind, walk.statement, value, path, scope=scope))
        return Name(target.id, span_of(target))
    if isinstance(target, (ast.Tuple, ast.List)):
        count = len(target.elts)
        items: list[Expr] = []
        behind_star = 0
        for index, item in enumerate(target.elts):
            if isinstance(item, ast.Starred):
                behind_star = count
                part = Part(index, index + 1 - count or None)
                items.append(_store_rest(walk, item, kind, Rest(value, part), path, scope))
            else:
                items.append(store(walk, item, kind, value, (*path, index - behind_star), scope))
        return Collection(type(target).__name__, tuple(items), span_of(target))
    return walk.expression(target)


def _store_rest(
    walk: Walk, target: ast.Starred, kind: str, rest: Rest, path: tuple[int, ...], scope: int
) -> Expr:
    """Record that a name gets the rest of what is unpacked; names in a list behind a star get the unknown."""
    inner = target.value
    if isinstance(inner, ast.Name):
        walk.words[inner.id].append(walk.statement)
        walk.bind(inner.id, Binding(kind, walk.statement, None, path, scope=scope, rest=rest))
        return Other("Starred", (Name(inner.id, span_of(inner)),), span_of(target))
    return Other("Starred", (_store_unknown(walk, inner, kind),), span_of(target))


def _store_unknown(walk: Walk, target: ast.expr, kind: str) -> Expr:
    if isinstance(target, ast.Name):
        walk.words[target.id].append(walk.statement)
        walk.bind(target.id, Binding(kind, walk.statement))
        return Name(target.id, span_of(target))
    if isinstance(target, ast.Starred):
        return Other("Starred", (_store_unknown(walk, target.value, kind),), span_of(target))
    if isinstance(target, (ast.Tuple, ast.List)):
        items = tuple([_store_unknown(walk, item, kind) for item in target.elts])
        return Collection(type(target).__name__, items, span_of(target))
    return walk.expression(target)


def _assign(walk: Walk, node: ast.Assign, number: int) -> None:
    value = walk.expression(node.value)
    targets = tuple(store(walk, target, "assign", value) for target in node.targets)
    walk.complete(number, targets, (value,))


def _annotated(walk: Walk, node: ast.AnnAssign, number: int) -> None:
    if node.value is not None:
        value = walk.expression(node.value)
        walk.complete(number, (store(walk, node.target, "assign", value),), (value,))


def _augmented(walk: Walk, node: ast.AugAssign, number: int) -> None:
    value = walk.expression(node.value)
    target = store(walk, node.target, "augment", value)
    walk.complete(number, (target,), (value,), operator=type(node.op).__name__)


def _for(walk: Walk, node: ast.For | ast.AsyncFor, number: int) -> None:
    value = walk.expression(node.iter)
    walk.complete(number, (store(walk, node.target, "for", value),), (value,))
    walk.block(node.body, number, "body")
    walk.block(node.orelse, number, "orelse")


def _with(walk: Walk, node: ast.With | ast.AsyncWith, number: int) -> None:
    targets: list[Expr | None] = []
    values: list[Expr] = []
    for item in node.items:
        value = walk.expression(item.context_expr)
        values.append(value)
        target = item.optional_vars
        targets.append(None if target is None else store(walk, target, "with", value))
    walk.complete(number, tuple(targets), tuple(values))
    walk.block(node.body, number, "body")


def _delete(walk: Walk, node: ast.Delete, number: int) -> None:
    values = tuple([walk.expression(target) for target in node.targets])
    for target in node.targets:
        if isinstance(target, ast.Name):
            walk.bind(target.id, Binding("delete", number))
    walk.complete(number, (), values)


def _named(walk: Walk, node: ast.NamedExpr) -> Expr:
    value = walk.expression(node.value)
    present = walk.scope
    scope = present.number
    while walk.scope.kind == "comprehension" and walk.scope.outer is not None:
        walk.scope = walk.scope.outer
    target = store(walk, node.target, "assign", value, scope=scope)
    walk.scope = present
    return Other("NamedExpr", (target, value), span_of(node))


STATEMENTS: StatementHandlers = {
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Delete: _delete,
}

EXPRESSIONS: ExpressionHandlers = {ast.NamedExpr: _named}
