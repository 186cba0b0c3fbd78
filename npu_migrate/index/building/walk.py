"""The walk over a tree: where it is, and what has been collected on the way.

A handler gets the walk and one node. It makes an expression of it, or completes the statement that the walk
has opened for it, and asks the walk to go on to what is below.
"""

from __future__ import annotations

import ast
from collections import abc, defaultdict
from collections.abc import Callable, Sequence
from operator import add
from typing import Any, TypeVar

from npu_migrate.index.building.open_scope import OpenScope
from npu_migrate.index.facts import NOTHING, Binding, CallSite, Expr, FileFacts, Statement
from npu_migrate.places import Span

_Opened = tuple[int, str, Span, int, int, str, int]
"""What is known of a statement before its expressions: the first fields of a `Statement`."""

_Said = tuple[tuple[Expr | None, ...], tuple[Expr, ...], int, str]
"""Its other fields."""

_NOTHING_SAID: _Said = ((), (), NOTHING, "")


class Walk:
    """Goes through one tree in source order.

    `statement` and `scope` say where it is. `words` has the numbers of statements as they come, so that one
    may stand there several times. A handler for what is very frequent takes `expression_handlers`
    itself, which saves a call for each expression.
    """

    def __init__(
        self,
        expression_handlers: Handlers[ExpressionHandler],
        statement_handlers: Handlers[StatementHandler],
        first_statement: int,
        first_scope: int,
    ) -> None:
        self.expression_handlers = expression_handlers
        self._statement_handlers = statement_handlers
        self._first_statement = first_statement
        self._first_scope = first_scope
        self._opened: list[_Opened] = []
        self._said: list[_Said] = []
        self._scopes: list[OpenScope] = []
        self.calls: list[CallSite] = []
        self.words: defaultdict[str, list[int]] = defaultdict(list)
        self.yielding: list[int] = []
        self.statement = NOTHING
        self.scope = OpenScope(0, "module", "", None, NOTHING, (1, 0, 1, 0))
        self._scopes.append(self.scope)

    # -- going on --------------------------------------------------------------------------------------

    def block(self, body: Sequence[ast.stmt], parent: int, name: str, first: int = 0) -> None:
        """Walk the statements of the block `name` of the statement `parent`; `first` is where they start."""
        handlers = self._statement_handlers
        for position, node in enumerate(body, first):
            handlers[type(node)](self, node, self._open(node, parent, name, position))

    def expression(self, node: ast.expr) -> Expr:
        """Walk an expression, and return what is known of it."""
        return self.expression_handlers[type(node)](self, node)

    # -- collecting ------------------------------------------------------------------------------------

    def _open(self, node: Any, parent: int, block: str, position: int) -> int:
        """Reserves the next statement number, so that numbers follow the source order."""
        number = self._first_statement + len(self._opened)
        span = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
        self._opened.append((number, type(node).__name__, span, self.scope.number, parent, block, position))
        self._said.append(_NOTHING_SAID)
        self.statement = number
        return number

    def complete(
        self,
        number: int,
        targets: tuple[Expr | None, ...],
        values: tuple[Expr, ...],
        defines: int = NOTHING,
        operator: str = "",
    ) -> None:
        """Give a statement its expressions, the scope that it defines, and its operator."""
        self._said[number - self._first_statement] = (targets, values, defines, operator)

    def bind(self, name: str, binding: Binding) -> None:
        """Note a place that binds `name` in the present scope."""
        self.scope.bind(name, binding)

    def new_scope(self, kind: str, name: str, statement: int, span: Span) -> OpenScope:
        """A further scope within the present one, which stays the present one."""
        number = self._first_scope + len(self._scopes) - 1
        scope = OpenScope(number, kind, name, self.scope, statement, span)
        self._scopes.append(scope)
        return scope

    def facts(self, key: str) -> FileFacts:
        """All that has been collected, as the facts of the file `key`."""
        return FileFacts(
            key,
            tuple(map(Statement._make, map(add, self._opened, self._said))),
            tuple(scope.finished() for scope in self._scopes),
            tuple(self.calls),
            _each_once(self.words),
            _declared_global(self._scopes),
            tuple(dict.fromkeys(self.yielding)),
        )


ExpressionHandler = Callable[[Walk, Any], Expr]
"""What makes an expression of a node."""

StatementHandler = Callable[[Walk, Any, int], None]
"""What completes the statement of a node and number."""

ExpressionHandlers = abc.Mapping[type[ast.AST], ExpressionHandler]
StatementHandlers = abc.Mapping[type[ast.AST], StatementHandler]

_Handler = TypeVar("_Handler")


class Handlers(dict[type[ast.AST], _Handler]):
    """Handlers by the class of a node, and one for all others."""

    def __init__(self, handlers: abc.Mapping[type[ast.AST], _Handler], others: _Handler) -> None:
        super().__init__(handlers)
        self._others = others

    def __missing__(self, node_class: type[ast.AST]) -> _Handler:
        return self._others


def span_of(node: Any) -> Span:
    """The place of a node that has one. What is made most often writes it out, which saves the call."""
    return (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)


def _each_once(numbers: abc.Mapping[str, list[int]]) -> dict[str, tuple[int, ...]]:
    return {
        word: (found[0],) if len(found) == 1 else tuple(dict.fromkeys(found))
        for word, found in numbers.items()
    }


def _declared_global(scopes: Sequence[OpenScope]) -> dict[str, tuple[Binding, ...]]:
    found: dict[str, tuple[Binding, ...]] = {}
    for scope in scopes[1:]:
        for name, kind in scope.outer_names.items():
            if kind == "global":
                found[name] = (*found.get(name, ()), *scope.bindings.get(name, ()))
    return found
