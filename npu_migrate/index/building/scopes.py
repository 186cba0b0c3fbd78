"""What opens a scope, and what says that a name belongs to another one."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from npu_migrate.index.building.open_scope import OpenScope
from npu_migrate.index.building.targets import store
from npu_migrate.index.building.walk import ExpressionHandlers, StatementHandlers, Walk, span_of
from npu_migrate.index.facts import Binding, Comprehension, Expr, Lambda, Parameter


def _function(walk: Walk, node: ast.FunctionDef | ast.AsyncFunctionDef, number: int) -> None:
    decorators = tuple(walk.expression(item) for item in node.decorator_list)
    parameters = _parameters(walk, node.args)
    scope = walk.new_scope("function", node.name, number, span_of(node))
    scope.decorators = decorators
    scope.parameters = parameters
    walk.bind(node.name, Binding("def", number, defines=scope.number))
    walk.complete(number, (), decorators + _defaults(parameters), scope.number)
    _inside(walk, scope, number, node.body)


def _class(walk: Walk, node: ast.ClassDef, number: int) -> None:
    decorators = tuple(walk.expression(item) for item in node.decorator_list)
    bases = tuple(walk.expression(item) for item in node.bases)
    keywords = tuple(walk.expression(item.value) for item in node.keywords)
    scope = walk.new_scope("class", node.name, number, span_of(node))
    scope.decorators = decorators
    scope.bases = bases
    walk.bind(node.name, Binding("class", number, defines=scope.number))
    walk.complete(number, (), decorators + bases + keywords, scope.number)
    _inside(walk, scope, number, node.body)


def _inside(walk: Walk, scope: OpenScope, number: int, body: Sequence[ast.stmt]) -> None:
    """Walk the body of a ``def`` or ``class``."""
    outer, walk.scope = walk.scope, scope
    _bind_parameters(walk, scope.parameters, number, outer.number)
    walk.block(body, number, "body")
    walk.scope = outer


def _lambda(walk: Walk, node: ast.Lambda) -> Expr:
    parameters = _parameters(walk, node.args)
    scope = walk.new_scope("lambda", "<lambda>", walk.statement, span_of(node))
    scope.parameters = parameters
    outer, walk.scope = walk.scope, scope
    _bind_parameters(walk, parameters, walk.statement, outer.number)
    body = scope.body = walk.expression(node.body)
    walk.scope = outer
    return Lambda(scope.number, body, _defaults(parameters), span_of(node))


def _parameters(walk: Walk, node: ast.arguments) -> tuple[Parameter, ...]:
    plain = [*node.posonlyargs, *node.args]
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(node.defaults))
    found = [
        Parameter(arg.arg, "positional", None if default is None else walk.expression(default))
        for arg, default in zip(plain, defaults + list(node.defaults), strict=True)
    ]
    if node.vararg is not None:
        found.append(Parameter(node.vararg.arg, "varargs", None))
    for arg, default in zip(node.kwonlyargs, node.kw_defaults, strict=True):
        found.append(Parameter(arg.arg, "keyword", None if default is None else walk.expression(default)))
    if node.kwarg is not None:
        found.append(Parameter(node.kwarg.arg, "varkeywords", None))
    return tuple(found)


def _defaults(parameters: tuple[Parameter, ...]) -> tuple[Expr, ...]:
    return tuple([parameter.default for parameter in parameters if parameter.default is not None])


def _bind_parameters(walk: Walk, parameters: tuple[Parameter, ...], number: int, outer: int) -> None:
    for parameter in parameters:
        walk.bind(parameter.name, Binding("param", number, parameter.default, scope=outer))


def _comprehension(walk: Walk, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Expr:
    # The first iterable belongs to the scope outside, everything else to the comprehension's own.
    sources = [walk.expression(node.generators[0].iter)]
    scope = walk.new_scope("comprehension", "<comprehension>", walk.statement, span_of(node))
    outer, walk.scope = walk.scope, scope
    conditions: list[Expr] = []
    for index, generator in enumerate(node.generators):
        if index:
            sources.append(walk.expression(generator.iter))
        store(
            walk,
            generator.target,
            "comprehension",
            sources[-1],
            scope=scope.number if index else outer.number,
        )
        conditions.extend(walk.expression(test) for test in generator.ifs)
    if isinstance(node, ast.DictComp):
        elements: tuple[Expr, ...] = (walk.expression(node.key), walk.expression(node.value))
    else:
        elements = (walk.expression(node.elt),)
    walk.scope = outer
    return Comprehension(
        type(node).__name__, scope.number, elements, tuple(sources), tuple(conditions), span_of(node)
    )


def _elsewhere(walk: Walk, node: ast.Global | ast.Nonlocal, number: int) -> None:
    kind = "global" if isinstance(node, ast.Global) else "nonlocal"
    for name in node.names:
        walk.scope.outer_names[name] = kind


STATEMENTS: StatementHandlers = {
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Global: _elsewhere,
    ast.Nonlocal: _elsewhere,
}

EXPRESSIONS: ExpressionHandlers = {
    ast.Lambda: _lambda,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _comprehension,
}
