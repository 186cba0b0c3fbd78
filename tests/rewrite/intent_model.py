"""What intents mean, said on syntax trees alone; the tests compare it with what they do to text."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from npu_migrate.intents import (
    BindExpression,
    InsertStatement,
    Intent,
    KeepInner,
    Rename,
    ReplaceExpression,
    SetArgument,
    Side,
    WrapExpression,
)
from npu_migrate.places import Place


class Model:
    """The tree of one text, changed step by step. Nodes are found by their places in the text."""

    def __init__(self, text: str) -> None:
        self.tree = ast.parse(text)
        self._nodes: dict[tuple[int, ...], list[ast.AST]] = {}
        for node in ast.walk(self.tree):
            if getattr(node, "end_lineno", None):
                span = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
                self._nodes.setdefault(span, []).append(node)
        self._documented = {
            node
            for node in ast.walk(self.tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            and ast.get_docstring(node, False) is not None
        }
        self._originals = frozenset(ast.walk(self.tree))
        self._now: dict[ast.AST, ast.AST] = {}
        """What stands where an expression stood."""
        self._group: dict[ast.stmt, list[ast.stmt]] = {}
        """The statements that a statement has become."""
        self._heads: dict[ast.stmt, ast.stmt] = {}
        """The statement that an assignment took the place of."""

    def after(self, intents: Sequence[Intent]) -> str:
        """The dump of the tree after `intents`: first those within expressions, from the inside out."""
        intents = list(dict.fromkeys(intents))
        inside = [one for one in intents if not isinstance(one, BindExpression | InsertStatement)]
        for intent in sorted(
            inside, key=lambda one: (self._size(one.place), isinstance(one, WrapExpression))
        ):
            self._change_expression(intent)
        for intent in intents:
            if isinstance(intent, BindExpression):
                self._bind(intent)
        inserts = sorted(
            (one for one in intents if isinstance(one, InsertStatement)), key=lambda one: one.code
        )
        for intent in inserts:
            self._insert(intent, before=True)
        for intent in reversed(inserts):
            self._insert(intent, before=False)
        return ast.dump(self.tree)

    def _node(self, place: Place, kind: type[ast.AST]) -> ast.AST:
        return next(node for node in self._nodes[place.span] if isinstance(node, kind))

    def _current(self, node: ast.AST) -> ast.AST:
        while node in self._now:
            node = self._now[node]
        return node

    def _size(self, place: Place) -> int:
        return sum(1 for _ in ast.walk(self._nodes[place.span][-1]))

    def _put(self, node: ast.AST, new: ast.AST) -> None:
        for owner in ast.walk(self.tree):
            for name, value in ast.iter_fields(owner):
                if value is node:
                    setattr(owner, name, new)
                    return
                if isinstance(value, list) and any(item is node for item in value):
                    value[:] = [new if item is node else item for item in value]
                    return
        raise AssertionError(node)

    def _change_expression(self, intent: Intent) -> None:
        if isinstance(intent, Rename):
            name = self._node(intent.place, ast.expr)
            setattr(name, "id" if isinstance(name, ast.Name) else "attr", intent.new)
            return
        node = self._node(intent.place, ast.expr)
        old = self._current(node)
        match intent:
            case SetArgument():
                assert isinstance(node, ast.Call)
                node.keywords.append(ast.keyword(intent.keyword, expression(intent.value)))
                return
            case ReplaceExpression():
                new = expression(intent.code)
            case KeepInner():
                new = self._current(self._node(intent.inner, ast.expr))
            case WrapExpression():
                new = expression(f"{intent.before}0{intent.after}")
                assert isinstance(new, ast.Call)
        self._put(old, new)
        if isinstance(intent, WrapExpression):
            new.args[0] = old
        self._now[old] = new

    def _bind(self, intent: BindExpression) -> None:
        node = self._node(intent.place, ast.expr)
        value = self._current(node)
        statement = self._statement_of(value)
        whole = (
            isinstance(statement, ast.Expr)
            and intent.place.span in self._nodes
            and any(one is statement for one in self._nodes[intent.place.span])
        )
        self._put(value, ast.Name(intent.name, ast.Load()))
        assignment = ast.Assign([ast.Name(intent.name, ast.Store())], value)
        group = [assignment, *ast.parse("\n".join(intent.then)).body, *([] if whole else [statement])]
        self._replace(statement, group)
        self._group[statement] = group
        if whole:
            self._heads[assignment] = statement

    def _statement_of(self, node: ast.AST) -> ast.stmt:
        found = None
        for statement in ast.walk(self.tree):
            if isinstance(statement, ast.stmt) and any(one is node for one in _own_nodes(statement)):
                found = statement
        assert found is not None
        return found

    def _insert(self, intent: InsertStatement, *, before: bool) -> None:
        statement = self._node(intent.place, ast.stmt)
        goes_before = intent.side is Side.BEFORE
        if intent.side is Side.BODY_START:
            docstring = statement in self._documented
            statement, goes_before = self._first(statement), not docstring
        if goes_before is not before:
            return
        assert isinstance(statement, ast.stmt)
        new = ast.parse(intent.code).body
        group = self._group.setdefault(statement, [statement])
        if before:
            self._replace(group[0], [*new, group[0]])
        else:
            self._replace(group[-1], [group[-1], *new])

    def _first(self, statement: ast.AST) -> ast.stmt:
        body = statement.body  # type: ignore[attr-defined]
        return next(self._heads.get(one, one) for one in body if one in self._originals or one in self._heads)

    def _replace(self, statement: ast.stmt, new: list[ast.stmt]) -> None:
        for owner in ast.walk(self.tree):
            for _, value in ast.iter_fields(owner):
                if isinstance(value, list) and any(one is statement for one in value):
                    index = next(index for index, one in enumerate(value) if one is statement)
                    value[index : index + 1] = new
                    return
        raise AssertionError(statement)


def expression(code: str) -> ast.expr:
    return ast.parse(code, mode="eval").body


def _own_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement that belong to no statement inside it."""
    stack: list[ast.AST] = [statement]
    while stack:
        node = stack.pop()
        yield node
        stack += (child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt))
