"""Builds the facts of one file: one ``ast.parse`` and one pass over the tree."""

from __future__ import annotations

import ast
from collections import abc, defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from npu_migrate.findings import Span
from npu_migrate.index.facts import (
    NOTHING,
    Attribute,
    Binding,
    Call,
    CallSite,
    Collection,
    Comprehension,
    Conditional,
    Constant,
    Expr,
    FileFacts,
    ImportTarget,
    Keyword,
    Lambda,
    Mapping,
    Name,
    Operation,
    Other,
    Parameter,
    Scope,
    Statement,
    Subscript,
)
from npu_migrate.index.parsing import parse

_WIDEST_NUMBER = 10_000
"""Bits of a number that is worth to be known: Python fails to print one of more than 4,300 digits."""
_LONGEST_CHAIN = 400


def build_facts(key: str, text: str) -> FileFacts:
    """The facts of the file `key` with the decoded `text`; raises what `parse` raises."""
    return build_part(key, parse(text))


def build_part(
    key: str, tree: ast.Module, *, place: int = 0, first_statement: int = 0, first_scope: int = 1
) -> FileFacts:
    """The facts of some statements at the top level of a file, of which there may be others around them.

    `place` is the first one's place among these, `first_statement` its number. Scopes are the module, without
    what others bind in it, and those of the statements, which are numbered from `first_scope`.
    """
    builder = _Builder(first_statement, first_scope)
    builder.block(tree.body, NOTHING, "body", place)
    return FileFacts(
        key,
        tuple(builder.statements),
        tuple(_finished(scope) for scope in builder.scopes),
        tuple(builder.calls),
        _each_once(builder.words),
        _each_once(builder.values),
        _declared_global(builder.scopes),
        tuple(dict.fromkeys(builder.yielding)),
    )


def _each_once(numbers: abc.Mapping[str, list[int]]) -> dict[str, tuple[int, ...]]:
    return {word: tuple(dict.fromkeys(found)) for word, found in numbers.items()}


class _OpenScope:
    """A scope while its bindings are still being collected."""

    def __init__(
        self, number: int, kind: str, name: str, outer: _OpenScope | None, statement: int, span: Span
    ) -> None:
        self.number = number
        self.kind = kind
        self.name = name
        self.outer = outer
        self.statement = statement
        self.span = span
        self.parameters: tuple[Parameter, ...] = ()
        self.decorators: tuple[Expr, ...] = ()
        self.bases: tuple[Expr, ...] = ()
        self.bindings: dict[str, list[Binding]] = {}
        self.outer_names: dict[str, str] = {}
        self.stars: list[ImportTarget] = []
        self.body: Expr | None = None

    def bind(self, name: str, binding: Binding) -> None:
        self.bindings.setdefault(name, []).append(binding)


def _finished(scope: _OpenScope) -> Scope:
    return Scope(
        scope.number,
        scope.kind,
        scope.name,
        NOTHING if scope.outer is None else scope.outer.number,
        scope.statement,
        scope.span,
        scope.parameters,
        scope.decorators,
        scope.bases,
        {name: tuple(bindings) for name, bindings in scope.bindings.items()},
        scope.outer_names,
        tuple(scope.stars),
        scope.body,
    )


def _declared_global(scopes: Sequence[_OpenScope]) -> dict[str, tuple[Binding, ...]]:
    found: dict[str, tuple[Binding, ...]] = {}
    for scope in scopes[1:]:
        for name, kind in scope.outer_names.items():
            if kind == "global":
                found[name] = (*found.get(name, ()), *scope.bindings.get(name, ()))
    return found


def _span(node: Any) -> Span:
    return (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)


class _Builder:
    """Walks one tree; `statement` and `scope` say where the walk is."""

    def __init__(self, first_statement: int, first_scope: int) -> None:
        self.first_statement = first_statement
        self.first_scope = first_scope
        self.statements: list[Statement] = []
        self.scopes: list[_OpenScope] = []
        self.calls: list[CallSite] = []
        self.words: defaultdict[str, list[int]] = defaultdict(list)
        self.values: defaultdict[str, list[int]] = defaultdict(list)
        self.yielding: list[int] = []
        self.statement = NOTHING
        self.scope = _OpenScope(0, "module", "", None, NOTHING, (1, 0, 1, 0))
        self.scopes.append(self.scope)

    # -- statements ------------------------------------------------------------------------------------

    def block(self, body: Sequence[ast.stmt], parent: int, name: str, first: int = 0) -> None:
        for index, node in enumerate(body, first):
            handler = _STATEMENTS.get(type(node))
            if handler is not None:
                handler(self, node, parent, name, index)
            else:
                self.simple(node, parent, name, index)

    def open(self, node: ast.AST, parent: int, block: str, index: int) -> int:
        """Reserves the next statement number, so that numbers follow the source order."""
        number = self.first_statement + len(self.statements)
        self.statements.append(
            Statement(
                number,
                type(node).__name__,
                _span(node),
                self.scope.number,
                parent,
                block,
                index,
                (),
                (),
                NOTHING,
            )
        )
        self.statement = number
        return number

    def close(
        self,
        number: int,
        targets: tuple[Expr | None, ...],
        values: tuple[Expr, ...],
        defines: int = NOTHING,
    ) -> None:
        index = number - self.first_statement
        self.statements[index] = Statement(*self.statements[index][:7], targets, values, defines)

    def single(self, node: ast.Expr | ast.Return, parent: int, block: str, index: int) -> None:
        """The commonest statements, which have one expression at most and no blocks."""
        number = self.open(node, parent, block, index)
        if node.value is not None:
            self.close(number, (), (self.expression(node.value),))

    def simple(self, node: ast.stmt, parent: int, block: str, index: int) -> None:
        """Any statement without a method of its own: its expressions, then its blocks."""
        number = self.open(node, parent, block, index)
        values: list[Expr] = []
        blocks: list[tuple[str, list[ast.stmt]]] = []
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                values.append(self.expression(value))
            elif isinstance(value, list) and value:
                if isinstance(value[0], ast.stmt):
                    blocks.append((field, value))
                elif isinstance(value[0], ast.expr):
                    values.extend(self.expression(item) for item in value)
                else:
                    blocks.extend(self.parts(number, value, values))
        if isinstance(node, ast.Delete):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    self.bind(target.id, Binding("delete", number))
        self.close(number, (), tuple(values))
        for name, body in blocks:
            self.block(body, number, name)

    def parts(
        self, number: int, handlers: Sequence[ast.AST], values: list[Expr]
    ) -> list[tuple[str, list[ast.stmt]]]:
        """The blocks of ``except`` handlers and ``match`` cases."""
        blocks = []
        for index, handler in enumerate(handlers):
            if isinstance(handler, ast.ExceptHandler):
                if handler.type is not None:
                    values.append(self.expression(handler.type))
                if handler.name:
                    self.bind(handler.name, Binding("except", number))
                blocks.append((f"handler{index}", handler.body))
            elif isinstance(handler, ast.match_case):
                for node in ast.walk(handler.pattern):
                    bound = getattr(node, "name", None) or getattr(node, "rest", None)
                    if isinstance(bound, str):
                        self.bind(bound, Binding("match", number))
                if handler.guard is not None:
                    values.append(self.expression(handler.guard))
                blocks.append((f"case{index}", handler.body))
        return blocks

    def assign(self, node: ast.Assign, parent: int, block: str, index: int) -> None:
        number = self.open(node, parent, block, index)
        value = self.expression(node.value)
        targets = tuple(self.store(target, "assign", value) for target in node.targets)
        self.close(number, targets, (value,))

    def annotated(self, node: ast.AnnAssign, parent: int, block: str, index: int) -> None:
        number = self.open(node, parent, block, index)
        if node.value is None:
            self.close(number, (), ())
            return
        value = self.expression(node.value)
        self.close(number, (self.store(node.target, "assign", value),), (value,))

    def augmented(self, node: ast.AugAssign, parent: int, block: str, index: int) -> None:
        number = self.open(node, parent, block, index)
        value = self.expression(node.value)
        self.close(number, (self.store(node.target, "augment", value),), (value,))
        index = number - self.first_statement
        self.statements[index] = self.statements[index]._replace(operator=type(node.op).__name__)

    def for_(self, node: ast.For, parent: int, block: str, index: int) -> None:
        number = self.open(node, parent, block, index)
        value = self.expression(node.iter)
        self.close(number, (self.store(node.target, "for", value),), (value,))
        self.block(node.body, number, "body")
        self.block(node.orelse, number, "orelse")

    def with_(self, node: ast.With, parent: int, block: str, index: int) -> None:
        number = self.open(node, parent, block, index)
        targets: list[Expr | None] = []
        values: list[Expr] = []
        for item in node.items:
            value = self.expression(item.context_expr)
            values.append(value)
            target = item.optional_vars
            targets.append(None if target is None else self.store(target, "with", value))
        self.close(number, tuple(targets), tuple(values))
        self.block(node.body, number, "body")

    def import_(self, node: ast.Import, parent: int, block: str, index: int) -> None:
        number = self.open(node, parent, block, index)
        for alias in node.names:
            if alias.asname:
                target = ImportTarget(alias.name, 0, None)
                self.bind(alias.asname, Binding("import", number, target=target, span=_span(alias)))
            else:
                top = alias.name.partition(".")[0]
                target = ImportTarget(top, 0, None)
                loads = "" if top == alias.name else alias.name
                self.bind(top, Binding("import", number, target=target, span=_span(alias), loads=loads))

    def import_from(self, node: ast.ImportFrom, parent: int, block: str, index: int) -> None:
        number = self.open(node, parent, block, index)
        module = node.module or ""
        for alias in node.names:
            self.words[alias.name].append(self.statement)
            target = ImportTarget(module, node.level, alias.name)
            if alias.name == "*":
                self.scope.stars.append(target)
            else:
                self.bind(
                    alias.asname or alias.name, Binding("import", number, target=target, span=_span(alias))
                )

    def outer(self, node: ast.Global | ast.Nonlocal, parent: int, block: str, index: int) -> None:
        self.open(node, parent, block, index)
        kind = "global" if isinstance(node, ast.Global) else "nonlocal"
        for name in node.names:
            self.scope.outer_names[name] = kind

    def function(self, node: ast.FunctionDef, parent: int, block: str, index: int) -> None:
        number = self.open(node, parent, block, index)
        decorators = tuple(self.expression(item) for item in node.decorator_list)
        parameters = self.parameters(node.args)
        scope = self.new_scope("function", node.name, number, _span(node))
        scope.decorators = decorators
        scope.parameters = parameters
        self.bind(node.name, Binding("def", number, defines=scope.number))
        defaults = tuple(p.default for p in parameters if p.default is not None)
        self.close(number, (), decorators + defaults, scope.number)
        self.inside(scope, number, node.body)

    def class_(self, node: ast.ClassDef, parent: int, block: str, index: int) -> None:
        number = self.open(node, parent, block, index)
        decorators = tuple(self.expression(item) for item in node.decorator_list)
        bases = tuple(self.expression(item) for item in node.bases)
        keywords = tuple(self.expression(item.value) for item in node.keywords)
        scope = self.new_scope("class", node.name, number, _span(node))
        scope.decorators = decorators
        scope.bases = bases
        self.bind(node.name, Binding("class", number, defines=scope.number))
        self.close(number, (), decorators + bases + keywords, scope.number)
        self.inside(scope, number, node.body)

    def new_scope(self, kind: str, name: str, statement: int, span: Span) -> _OpenScope:
        number = self.first_scope + len(self.scopes) - 1
        scope = _OpenScope(number, kind, name, self.scope, statement, span)
        self.scopes.append(scope)
        return scope

    def inside(self, scope: _OpenScope, statement: int, body: Sequence[ast.stmt]) -> None:
        outer, self.scope = self.scope, scope
        for parameter in scope.parameters:
            self.bind(parameter.name, Binding("param", statement, parameter.default))
        self.block(body, statement, "body")
        self.scope = outer

    def parameters(self, node: ast.arguments) -> tuple[Parameter, ...]:
        plain = [*node.posonlyargs, *node.args]
        defaults: list[ast.expr | None] = [None] * (len(plain) - len(node.defaults))
        found = [
            Parameter(arg.arg, "positional", None if default is None else self.expression(default))
            for arg, default in zip(plain, defaults + list(node.defaults), strict=True)
        ]
        if node.vararg is not None:
            found.append(Parameter(node.vararg.arg, "varargs", None))
        for arg, default in zip(node.kwonlyargs, node.kw_defaults, strict=True):
            found.append(Parameter(arg.arg, "keyword", None if default is None else self.expression(default)))
        if node.kwarg is not None:
            found.append(Parameter(node.kwarg.arg, "varkeywords", None))
        return tuple(found)

    # -- bindings --------------------------------------------------------------------------------------

    def bind(self, name: str, binding: Binding) -> None:
        self.scope.bind(name, binding)

    def store(self, target: ast.expr, kind: str, value: Expr | None, path: tuple[int, ...] = ()) -> Expr:
        """Records the names that storing to `target` binds, and returns the target as an expression."""
        if isinstance(target, ast.Name):
            self.words[target.id].append(self.statement)
            self.bind(target.id, Binding(kind, self.statement, value, path))
            return Name(target.id, _span(target))
        if isinstance(target, (ast.Tuple, ast.List)):
            items = []
            for index, item in enumerate(target.elts):
                if isinstance(item, ast.Starred):
                    items.append(self.store(item.value, kind, None))
                else:
                    items.append(self.store(item, kind, value, (*path, index)))
            return Collection(type(target).__name__, tuple(items), _span(target))
        return self.expression(target)

    # -- expressions -----------------------------------------------------------------------------------

    def expression(self, node: ast.expr) -> Expr:
        handler = _EXPRESSIONS.get(type(node))
        if handler is not None:
            return handler(self, node)
        return self.other(node)

    def constant(self, node: ast.Constant) -> Expr:
        value = node.value
        if type(value) is int and value.bit_length() > _WIDEST_NUMBER:
            return Other("Constant", (), _span(node))
        return Constant(value, _span(node))

    def name(self, node: ast.Name) -> Expr:
        self.words[node.id].append(self.statement)
        self.values[node.id].append(self.statement)
        return Name(
            node.id,
            _span(node),
        )

    def attribute(self, node: ast.Attribute) -> Expr:
        self.words[node.attr].append(self.statement)
        self.values[node.attr].append(self.statement)
        return Attribute(self.expression(node.value), node.attr, _span(node))

    def call(self, node: ast.Call) -> Expr:
        expression = self.expression
        call = Call(
            self.callee(node.func),
            tuple([expression(arg) for arg in node.args]),
            tuple([Keyword(item.arg, expression(item.value), _span(item)) for item in node.keywords]),
            _span(node),
        )
        self.calls.append(CallSite(call, self.statement, self.scope.number))
        return call

    def callee(self, node: ast.expr) -> Expr:
        """A called expression: its last name is no value there."""
        if type(node) is ast.Name:
            self.words[node.id].append(self.statement)
            return Name(node.id, _span(node))
        if type(node) is ast.Attribute:
            self.words[node.attr].append(self.statement)
            return Attribute(self.expression(node.value), node.attr, _span(node))
        return self.expression(node)

    def collection(self, node: ast.Tuple | ast.List | ast.Set) -> Expr:
        expression = self.expression
        return Collection(type(node).__name__, tuple([expression(item) for item in node.elts]), _span(node))

    def mapping(self, node: ast.Dict) -> Expr:
        return Mapping(
            tuple(None if key is None else self.expression(key) for key in node.keys),
            tuple(self.expression(value) for value in node.values),
            _span(node),
        )

    def binary(self, node: ast.BinOp) -> Expr:
        # The left spine is walked in a loop: a sum of thousands of terms must not exhaust the stack.
        spine = [node]
        while isinstance(spine[-1].left, ast.BinOp):
            spine.append(spine[-1].left)
        result = self.expression(spine[-1].left)
        if len(spine) > _LONGEST_CHAIN:
            terms = [self.expression(item.right) for item in reversed(spine)]
            return Other("BinOp", (result, *terms), _span(node))
        for item in reversed(spine):
            result = Operation(type(item.op).__name__, (result, self.expression(item.right)), _span(item))
        return result

    def boolean(self, node: ast.BoolOp) -> Expr:
        operands = tuple(self.expression(value) for value in node.values)
        return Operation(type(node.op).__name__, operands, _span(node))

    def unary(self, node: ast.UnaryOp) -> Expr:
        return Operation(type(node.op).__name__, (self.expression(node.operand),), _span(node))

    def compare(self, node: ast.Compare) -> Expr:
        operands = (self.expression(node.left), *(self.expression(item) for item in node.comparators))
        operator = type(node.ops[0]).__name__ if len(node.ops) == 1 else "Compare"
        return Operation(operator, operands, _span(node))

    def conditional(self, node: ast.IfExp) -> Expr:
        return Conditional(
            self.expression(node.test), self.expression(node.body), self.expression(node.orelse), _span(node)
        )

    def subscript(self, node: ast.Subscript) -> Expr:
        return Subscript(self.expression(node.value), self.expression(node.slice), _span(node))

    def named(self, node: ast.NamedExpr) -> Expr:
        value = self.expression(node.value)
        outer = self.scope
        while self.scope.kind == "comprehension" and self.scope.outer is not None:
            self.scope = self.scope.outer
        target = self.store(node.target, "assign", value)
        self.scope = outer
        return Other("NamedExpr", (target, value), _span(node))

    def lambda_(self, node: ast.Lambda) -> Expr:
        parameters = self.parameters(node.args)
        scope = self.new_scope("lambda", "<lambda>", self.statement, _span(node))
        scope.parameters = parameters
        outer, self.scope = self.scope, scope
        for parameter in parameters:
            self.bind(parameter.name, Binding("param", self.statement, parameter.default))
        scope.body = self.expression(node.body)
        self.scope = outer
        defaults = tuple(parameter.default for parameter in parameters if parameter.default is not None)
        return Lambda(scope.number, scope.body, defaults, _span(node))

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Expr:
        # The first iterable belongs to the scope outside, everything else to the comprehension's own.
        sources = [self.expression(node.generators[0].iter)]
        scope = self.new_scope("comprehension", "<comprehension>", self.statement, _span(node))
        outer, self.scope = self.scope, scope
        conditions: list[Expr] = []
        for index, generator in enumerate(node.generators):
            if index:
                sources.append(self.expression(generator.iter))
            self.store(generator.target, "comprehension", sources[-1])
            conditions.extend(self.expression(test) for test in generator.ifs)
        if isinstance(node, ast.DictComp):
            elements: tuple[Expr, ...] = (self.expression(node.key), self.expression(node.value))
        else:
            elements = (self.expression(node.elt),)
        self.scope = outer
        return Comprehension(
            type(node).__name__, scope.number, elements, tuple(sources), tuple(conditions), _span(node)
        )

    def other(self, node: ast.expr) -> Expr:
        parts: list[Expr] = []
        for value in ast.iter_child_nodes(node):
            if isinstance(value, ast.expr):
                parts.append(self.expression(value))
        kind = type(node).__name__
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            self.yielding.append(self.statement)
        if isinstance(node, ast.FormattedValue) and node.conversion != -1:
            kind += f"!{chr(node.conversion)}"
        if isinstance(node, ast.Slice):
            given = (node.lower, node.upper, node.step)
            kind += "!" + "".join(
                letter for letter, part in zip("lus", given, strict=True) if part is not None
            )
        return Other(kind, tuple(parts), _span(node))


_EXPRESSIONS: abc.Mapping[type[ast.AST], Callable[[_Builder, Any], Expr]] = {
    ast.Constant: _Builder.constant,
    ast.Name: _Builder.name,
    ast.Attribute: _Builder.attribute,
    ast.Call: _Builder.call,
    ast.Tuple: _Builder.collection,
    ast.List: _Builder.collection,
    ast.Set: _Builder.collection,
    ast.Dict: _Builder.mapping,
    ast.BinOp: _Builder.binary,
    ast.BoolOp: _Builder.boolean,
    ast.UnaryOp: _Builder.unary,
    ast.Compare: _Builder.compare,
    ast.IfExp: _Builder.conditional,
    ast.Subscript: _Builder.subscript,
    ast.Lambda: _Builder.lambda_,
    ast.ListComp: _Builder.comprehension,
    ast.SetComp: _Builder.comprehension,
    ast.GeneratorExp: _Builder.comprehension,
    ast.DictComp: _Builder.comprehension,
    ast.NamedExpr: _Builder.named,
}

_STATEMENTS: abc.Mapping[type[ast.AST], Callable[[_Builder, Any, int, str, int], None]] = {
    ast.Expr: _Builder.single,
    ast.Return: _Builder.single,
    ast.FunctionDef: _Builder.function,
    ast.AsyncFunctionDef: _Builder.function,
    ast.ClassDef: _Builder.class_,
    ast.Assign: _Builder.assign,
    ast.AnnAssign: _Builder.annotated,
    ast.AugAssign: _Builder.augmented,
    ast.With: _Builder.with_,
    ast.AsyncWith: _Builder.with_,
    ast.For: _Builder.for_,
    ast.AsyncFor: _Builder.for_,
    ast.Import: _Builder.import_,
    ast.ImportFrom: _Builder.import_from,
    ast.Global: _Builder.outer,
    ast.Nonlocal: _Builder.outer,
}
