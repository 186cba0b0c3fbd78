"""The walk over a tree: where it is, and what has been collected on the way.

A handler gets the walk and one node. It makes an expression of it, or completes the statement that the walk
has opened for it, and asks the walk to go on to what is below.
"""

from __future__ import annotations

import ast
from collections import abc, defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from npu_migrate.index.building.open_scope import OpenScope
from npu_migrate.index.facts import NOTHING, Binding, CallSite, Expr, FileFacts, Statement
from npu_migrate.places import Span


class Walk:
    """Goes through one tree in source order.

    `statement` and `scope` say where it is. `words` and `values` have the numbers of statements as they come,
    so that one may stand there several times.
    """

    def __init__(
        self,
        expression_handlers: ExpressionHandlers,
        statement_handlers: StatementHandlers,
        first_statement: int,
        first_scope: int,
    ) -> None:
        self._expression_handlers = expression_handlers
        self._statement_handlers = statement_handlers
        self._first_statement = first_statement
        self._first_scope = first_scope
        self._statements: list[Statement] = []
        self._scopes: list[OpenScope] = []
        self.calls: list[CallSite] = []
        self.words: defaultdict[str, list[int]] = defaultdict(list)
        self.values: defaultdict[str, list[int]] = defaultdict(list)
        self.yielding: list[int] = []
        self.statement = NOTHING
        self.scope = OpenScope(0, "module", "", None, NOTHING, (1, 0, 1, 0))
        self._scopes.append(self.scope)

    # -- going on --------------------------------------------------------------------------------------

    def block(self, body: Sequence[ast.stmt], parent: int, name: str, first: int = 0) -> None:
        """Walk the statements of the block `name` of the statement `parent`; `first` is where they start."""
        handlers = self._statement_handlers
        for position, node in enumerate(body, first):
            handler = handlers.get(type(node)) or handlers[ast.stmt]
            handler(self, node, self._open(node, parent, name, position))

    def expression(self, node: ast.expr) -> Expr:
        """Walk an expression, and return what is known of it."""
        handlers = self._expression_handlers
        handler = handlers.get(type(node)) or handlers[ast.expr]
        return handler(self, node)

    # -- collecting ------------------------------------------------------------------------------------

    def _open(self, node: ast.stmt, parent: int, block: str, position: int) -> int:
        """Reserves the next statement number, so that numbers follow the source order."""
        number = self._first_statement + len(self._statements)
        self._statements.append(
            Statement(
                number,
                type(node).__name__,
                span_of(node),
                self.scope.number,
                parent,
                block,
                position,
                (),
                (),
                NOTHING,
            )
        )
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
        """Give a statement its expressions, and the scope that it defines."""
        index = number - self._first_statement
        self._statements[index] = Statement(*self._statements[index][:7], targets, values, defines, operator)

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
            tuple(self._statements),
            tuple(scope.finished() for scope in self._scopes),
            tuple(self.calls),
            _each_once(self.words),
            _each_once(self.values),
            _declared_global(self._scopes),
            tuple(dict.fromkeys(self.yielding)),
        )


ExpressionHandlers = abc.Mapping[type[ast.AST], Callable[[Walk, Any], Expr]]
"""What makes an expression of a node, by the node's class; ``ast.expr`` stands for all the others."""

StatementHandlers = abc.Mapping[type[ast.AST], Callable[[Walk, Any, int], None]]
"""What completes the statement of a node and number, by the node's class; so does ``ast.stmt``."""


def span_of(node: Any) -> Span:
    """The place of a node that has one."""
    return (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)


def _each_once(numbers: abc.Mapping[str, list[int]]) -> dict[str, tuple[int, ...]]:
    return {word: tuple(dict.fromkeys(found)) for word, found in numbers.items()}


def _declared_global(scopes: Sequence[OpenScope]) -> dict[str, tuple[Binding, ...]]:
    found: dict[str, tuple[Binding, ...]] = {}
    for scope in scopes[1:]:
        for name, kind in scope.outer_names.items():
            if kind == "global":
                found[name] = (*found.get(name, ()), *scope.bindings.get(name, ()))
    return found
