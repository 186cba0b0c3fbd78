"""Where each expression of a statement stands: its parent and its scope. Made on demand from facts."""

from __future__ import annotations

from typing import NamedTuple

from npu_migrate.index.facts import Collection, Comprehension, Expr, Lambda, Statement, children, is_starred


class Site(NamedTuple):
    """An expression with what is around it; `stored` marks a target that is assigned to."""

    expr: Expr
    parent: Expr | None
    statement: int
    scope: int
    stored: bool


def sites_of(statement: Statement) -> dict[int, Site]:
    """The expressions of one statement, those of its blocks not included, in source order.

    Keyed by ``id(expression)``; the facts keep the expressions alive.
    """
    sites: dict[int, Site] = {}
    roots: list[tuple[Expr, bool]] = [(value, False) for value in statement.values]
    roots += [(target, True) for target in statement.targets if target is not None]
    for root, stored in roots:
        stack: list[tuple[Expr, Expr | None, int, bool]] = [(root, None, statement.scope, stored)]
        while stack:
            expr, parent, scope, target = stack.pop()
            sites[id(expr)] = Site(expr, parent, statement.id, scope, target)
            below = [
                (child, expr, _scope_of_child(expr, child, scope), target and _hands_on(expr))
                for child in children(expr)
            ]
            stack.extend(reversed(below))
    return sites


def _hands_on(target: Expr) -> bool:
    """Whether what is stored to a target is stored to what it consists of."""
    return isinstance(target, Collection) or is_starred(target)


def _scope_of_child(expr: Expr, child: Expr, inside: int) -> int:
    if isinstance(expr, Lambda) and child is expr.body:
        return expr.scope
    if isinstance(expr, Comprehension) and child is not expr.sources[0]:
        return expr.scope
    return inside
