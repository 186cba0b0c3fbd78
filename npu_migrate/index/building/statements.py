"""Statements with nothing but expressions and blocks, ``try`` and ``match`` among them."""

from __future__ import annotations

import ast
import sys

from npu_migrate.index.building.walk import StatementHandlers, Walk
from npu_migrate.index.facts import Binding, Expr


def _single(walk: Walk, node: ast.Expr | ast.Return, number: int) -> None:
    """The commonest statements, which have one expression at most and no blocks."""
    if node.value is not None:
        walk.complete(number, (), (walk.expression(node.value),))


def _if(walk: Walk, node: ast.If | ast.While, number: int) -> None:
    walk.complete(number, (), (walk.expression(node.test),))
    walk.block(node.body, number, "body")
    walk.block(node.orelse, number, "orelse")


def _try(walk: Walk, node: ast.Try, number: int) -> None:
    values: list[Expr] = []
    for handler in node.handlers:
        if handler.type is not None:
            values.append(walk.expression(handler.type))
        if handler.name:
            walk.bind(handler.name, Binding("except", number))
    walk.complete(number, (), tuple(values))
    walk.block(node.body, number, "body")
    for index, handler in enumerate(node.handlers):
        walk.block(handler.body, number, f"handler{index}")
    walk.block(node.orelse, number, "orelse")
    walk.block(node.finalbody, number, "finalbody")


def _match(walk: Walk, node: ast.Match, number: int) -> None:
    values = [walk.expression(node.subject)]
    for case in node.cases:
        for pattern in ast.walk(case.pattern):
            bound = getattr(pattern, "name", None) or getattr(pattern, "rest", None)
            if isinstance(bound, str):
                walk.bind(bound, Binding("match", number))
        if case.guard is not None:
            values.append(walk.expression(case.guard))
    walk.complete(number, (), tuple(values))
    for index, case in enumerate(node.cases):
        walk.block(case.body, number, f"case{index}")


def any_other(walk: Walk, node: ast.stmt, number: int) -> None:
    """Its expressions, then its blocks."""
    values: list[Expr] = []
    blocks: list[tuple[str, list[ast.stmt]]] = []
    for field, value in ast.iter_fields(node):
        if isinstance(value, ast.expr):
            values.append(walk.expression(value))
        elif isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            blocks.append((field, value))
    walk.complete(number, (), tuple(values))
    for name, body in blocks:
        walk.block(body, number, name)


_EXCEPT_STAR: StatementHandlers = {}
if sys.version_info >= (3, 11):
    _EXCEPT_STAR = {ast.TryStar: _try}

STATEMENTS: StatementHandlers = {
    ast.Expr: _single,
    ast.Return: _single,
    ast.If: _if,
    ast.While: _if,
    ast.Try: _try,
    **_EXCEPT_STAR,
    ast.Match: _match,
}
