"""Expressions that have a value and nothing else: they neither bind a name nor open a scope."""

from __future__ import annotations

import ast
from typing import Any

from npu_migrate.index.building.walk import ExpressionHandlers, Walk, span_of
from npu_migrate.index.facts import (
    Attribute,
    Call,
    CallSite,
    Collection,
    Conditional,
    Constant,
    Expr,
    Keyword,
    Mapping,
    Name,
    Operation,
    Other,
    Subscript,
)

_WIDEST_NUMBER = 10_000
"""Bits of a number that is worth to be known: Python fails to print one of more than 4,300 digits."""
_LONGEST_CHAIN = 400


def _constant(walk: Walk, node: ast.Constant) -> Expr:
    value = node.value
    if type(value) is int and value.bit_length() > _WIDEST_NUMBER:
        return Other("Constant", (), span_of(node))
    return Constant(value, span_of(node))


def _name(walk: Walk, node: Any) -> Expr:
    name, statement = node.id, walk.statement
    walk.words[name].append(statement)
    return Name(name, (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset))


def _attribute(walk: Walk, node: Any) -> Expr:
    name, value, statement = node.attr, node.value, walk.statement
    walk.words[name].append(statement)
    return Attribute(
        walk.expression_handlers[type(value)](walk, value),
        name,
        (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset),
    )


def _call(walk: Walk, node: ast.Call) -> Expr:
    handlers = walk.expression_handlers
    call = Call(
        handlers[type(node.func)](walk, node.func),
        tuple([handlers[type(arg)](walk, arg) for arg in node.args]),
        tuple(
            [
                Keyword(item.arg, handlers[type(item.value)](walk, item.value), span_of(item))
                for item in node.keywords
            ]
        ),
        span_of(node),
    )
    walk.calls.append(CallSite(call, walk.statement, walk.scope.number))
    return call


def _collection(walk: Walk, node: ast.Tuple | ast.List | ast.Set) -> Expr:
    expression = walk.expression
    return Collection(type(node).__name__, tuple([expression(item) for item in node.elts]), span_of(node))


def _mapping(walk: Walk, node: ast.Dict) -> Expr:
    return Mapping(
        tuple(None if key is None else walk.expression(key) for key in node.keys),
        tuple(walk.expression(value) for value in node.values),
        span_of(node),
    )


def _binary(walk: Walk, node: ast.BinOp) -> Expr:
    # The left spine is walked in a loop: a sum of thousands of terms must not exhaust the stack.
    spine = [node]
    while isinstance(spine[-1].left, ast.BinOp):
        spine.append(spine[-1].left)
    result = walk.expression(spine[-1].left)
    if len(spine) > _LONGEST_CHAIN:
        terms = [walk.expression(item.right) for item in reversed(spine)]
        return Other("BinOp", (result, *terms), span_of(node))
    for item in reversed(spine):
        result = Operation(type(item.op).__name__, (result, walk.expression(item.right)), span_of(item))
    return result


def _boolean(walk: Walk, node: ast.BoolOp) -> Expr:
    operands = tuple(walk.expression(value) for value in node.values)
    return Operation(type(node.op).__name__, operands, span_of(node))


def _unary(walk: Walk, node: ast.UnaryOp) -> Expr:
    return Operation(type(node.op).__name__, (walk.expression(node.operand),), span_of(node))


def _compare(walk: Walk, node: ast.Compare) -> Expr:
    operands = (walk.expression(node.left), *(walk.expression(item) for item in node.comparators))
    operator = type(node.ops[0]).__name__ if len(node.ops) == 1 else "Compare"
    return Operation(operator, operands, span_of(node))


def _conditional(walk: Walk, node: ast.IfExp) -> Expr:
    return Conditional(
        walk.expression(node.test), walk.expression(node.body), walk.expression(node.orelse), span_of(node)
    )


def _subscript(walk: Walk, node: ast.Subscript) -> Expr:
    return Subscript(walk.expression(node.value), walk.expression(node.slice), span_of(node))


def _formatted(walk: Walk, node: ast.FormattedValue) -> Expr:
    kind = type(node).__name__
    if node.conversion != -1:
        kind += f"!{chr(node.conversion)}"
    value = walk.expression(node.value)
    if node.format_spec is None:
        return Other(kind, (value,), span_of(node))
    return Other(kind, (value, walk.expression(node.format_spec)), span_of(node))


def _slice(walk: Walk, node: ast.Slice) -> Expr:
    bounds = {"l": node.lower, "u": node.upper, "s": node.step}
    given = {letter: bound for letter, bound in bounds.items() if bound is not None}
    return Other(f"Slice!{''.join(given)}", tuple(map(walk.expression, given.values())), span_of(node))


def _yield(walk: Walk, node: ast.Yield | ast.YieldFrom) -> Expr:
    walk.yielding.append(walk.statement)
    parts = () if node.value is None else (walk.expression(node.value),)
    return Other(type(node).__name__, parts, span_of(node))


def any_other(walk: Walk, node: ast.expr) -> Expr:
    """An expression of which only the parts are known."""
    parts: list[Expr] = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            parts.append(walk.expression(child))
    return Other(type(node).__name__, tuple(parts), span_of(node))


EXPRESSIONS: ExpressionHandlers = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.Tuple: _collection,
    ast.List: _collection,
    ast.Set: _collection,
    ast.Dict: _mapping,
    ast.BinOp: _binary,
    ast.BoolOp: _boolean,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.IfExp: _conditional,
    ast.Subscript: _subscript,
    ast.FormattedValue: _formatted,
    ast.Slice: _slice,
    ast.Yield: _yield,
    ast.YieldFrom: _yield,
}
