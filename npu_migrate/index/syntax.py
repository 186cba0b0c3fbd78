"""Where each expression of a file stands: its parent, its statement, its scope. Made on demand from facts."""

from __future__ import annotations

from typing import NamedTuple

from npu_migrate.index.facts import (
    Attribute,
    Collection,
    Comprehension,
    Expr,
    FileFacts,
    Lambda,
    Name,
    children,
)


class Site(NamedTuple):
    """An expression with what is around it; `stored` marks a target that is assigned to."""

    expr: Expr
    parent: Expr | None
    statement: int
    scope: int
    stored: bool


class Syntax(NamedTuple):
    """The expressions of one file by identity, by name read, and by attribute.

    `sites` is keyed by ``id(expression)``; the facts keep the expressions alive.
    """

    sites: dict[int, Site]
    names: dict[str, tuple[Site, ...]]
    attributes: dict[str, tuple[Site, ...]]


def build_syntax(facts: FileFacts) -> Syntax:
    """The syntax index of a file."""
    sites: dict[int, Site] = {}
    names: dict[str, list[Site]] = {}
    attributes: dict[str, list[Site]] = {}

    def visit(root: Expr, statement: int, scope: int, stored: bool) -> None:
        stack: list[tuple[Expr, Expr | None, int, bool]] = [(root, None, scope, stored)]
        while stack:
            expr, parent, inside, target = stack.pop()
            site = Site(expr, parent, statement, inside, target)
            sites[id(expr)] = site
            if isinstance(expr, Name):
                names.setdefault(expr.id, []).append(site)
                continue
            if isinstance(expr, Attribute):
                attributes.setdefault(expr.attr, []).append(site)
            below = [
                (child, expr, _scope_of_child(expr, child, inside), target and isinstance(expr, Collection))
                for child in children(expr)
            ]
            stack.extend(reversed(below))

    for statement in facts.statements:
        for value in statement.values:
            visit(value, statement.id, statement.scope, False)
        for target in statement.targets:
            if target is not None:
                visit(target, statement.id, statement.scope, True)
    return Syntax(
        sites,
        {name: tuple(found) for name, found in names.items()},
        {name: tuple(found) for name, found in attributes.items()},
    )


def _scope_of_child(expr: Expr, child: Expr, inside: int) -> int:
    if isinstance(expr, Lambda) and child is expr.body:
        return expr.scope
    if isinstance(expr, Comprehension) and child is not expr.sources[0]:
        return expr.scope
    return inside
