"""One parsed text, as the compilers of intents look at it: nodes by place, parents, tokens, lines."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from npu_migrate.index.parsing import UNPARSABLE, parse
from npu_migrate.places import Place, Span
from npu_migrate.rewrite.sections import Section, section_at, sections_of
from npu_migrate.rewrite.tokens import Tokens
from npu_migrate.sources.lines import LineIndex
from npu_migrate.sources.source import dominant_newline


class Refused(Exception):
    """An intent cannot be carried out; the message is the reason, as a user reads it."""


class Range(NamedTuple):
    """Offsets into a text, end exclusive."""

    start: int
    end: int


_TEMPLATES = tuple(getattr(ast, name) for name in ("JoinedStr", "TemplateStr") if hasattr(ast, name))


class Document:
    """A text that CPython parses. Everything derived from it is built on first use.

    Raises `SyntaxError` (or `ValueError`, `RecursionError`) when CPython does not parse it.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = parse(text)
        self._looked_into: set[int] = set()
        self._parents: dict[ast.AST, ast.AST] = {}
        self._nodes: dict[Span, list[ast.AST]] = {}

    @cached_property
    def newline(self) -> str:
        """The newline that new lines get: the text's most frequent one."""
        return dominant_newline(self.text)

    @cached_property
    def lines(self) -> LineIndex:
        """The line index of the text."""
        return LineIndex(self.text)

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """The sections that the text consists of."""
        return sections_of(self.text, self.tree.body, self.lines)

    @cached_property
    def tokens(self) -> Tokens:
        """The tokens of the text."""
        return Tokens(self.text, [section.start for section in self.sections])

    def nodes_at(self, span: Span) -> list[ast.AST]:
        """The nodes that have exactly this span."""
        self._look_into(span[0])
        return self._nodes.get(span, [])

    def parent(self, node: ast.AST) -> ast.AST:
        """The node above; the module is its own parent."""
        if node not in self._parents:
            self._look_into(getattr(node, "lineno", 1))
        return self._parents.get(node, self.tree)

    def _look_into(self, line: int) -> None:
        """Note the nodes of the section with this line, and what is above each."""
        number = section_at(self.sections, self.lines.bounds(line)[0])
        if number in self._looked_into:
            return
        self._looked_into.add(number)
        below: deque[tuple[ast.AST, ast.AST]] = deque(
            (one, self.tree) for one in self.sections[number].statements
        )
        while below:
            node, above = below.popleft()
            self._parents[node] = above
            span = span_of(node)
            if span is not None:
                self._nodes.setdefault(span, []).append(node)
            below.extend((child, node) for child in ast.iter_child_nodes(node))

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes above, from the inside out, up to the module."""
        while node is not self.tree:
            node = self.parent(node)
            yield node

    def range(self, node: ast.AST) -> Range:
        """The offsets of a node; decorators and brackets around it lie outside."""
        span = span_of(node)
        if span is None:
            raise Refused(f"a {type(node).__name__} has no place of its own")
        return Range(*self.lines.offsets(span))

    def with_brackets(self, node: ast.expr) -> Range:
        """The offsets of an expression with the brackets around it, those of a call or class excluded."""
        start, end = self.range(node)
        parent = self.parent(node)
        limit = self.range(parent).end if isinstance(parent, ast.Call) and node is not parent.func else -1
        while True:
            opening, closing = self.tokens.before(start), self.tokens.after(end)
            if opening is None or closing is None or closing.end == limit:
                return Range(start, end)
            if self.text[opening.start : opening.end] + self.text[closing.start : closing.end] != "()":
                return Range(start, end)
            start, end = opening.start, closing.end

    def slice(self, node: ast.AST) -> str:
        """The text of a node."""
        start, end = self.range(node)
        return self.text[start:end]

    def expression(self, place: Place) -> ast.expr:
        """The expression at a place, checked against its text. Raises `Refused`."""
        nodes = [node for node in self.nodes_at(place.span) if isinstance(node, ast.expr)]
        plain = [node for node in nodes if not self._is_in_template(node)]
        if nodes and not plain:
            raise Refused("it lies inside an f-string")
        for node in plain:
            if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
                raise Refused("it is assigned to")
            if not isinstance(node, ast.Starred | ast.Slice) and self._reads_as(node):
                return node
        raise Refused(f"line {place.span[0]} does not hold the expression that should change")

    def statement(self, place: Place) -> ast.stmt:
        """The statement at a place. Raises `Refused`."""
        for node in self.nodes_at(place.span):
            if isinstance(node, ast.stmt):
                return node
        raise Refused(f"line {place.span[0]} does not hold the statement that should change")

    def statement_of(self, node: ast.AST) -> ast.stmt:
        """The innermost statement that contains an expression."""
        for above in (node, *self.ancestors(node)):
            if isinstance(above, ast.stmt):
                return above
        raise Refused("it belongs to no statement")

    def in_brackets(self, node: ast.AST) -> bool:
        """Whether the node stands in brackets of its statement, so that its text may span lines."""
        statement = self.statement_of(node)
        return self.tokens.open_brackets(self.range(statement).start, self.range(node).start) > 0

    def _is_in_template(self, node: ast.AST) -> bool:
        """Whether a node lies inside an f-string, where places are not exact. A whole f-string does not."""
        return isinstance(node, ast.FormattedValue) or any(
            isinstance(one, _TEMPLATES) for one in self.ancestors(node)
        )

    def _reads_as(self, node: ast.expr) -> bool:
        try:
            read = parse(f"({self.slice(node)}\n)").body[0]
        except UNPARSABLE:
            return False
        return isinstance(read, ast.Expr) and same(read.value, node)


def span_of(node: ast.AST) -> Span | None:
    """The span of a node, if it has one."""
    line, column = getattr(node, "lineno", None), getattr(node, "col_offset", None)
    end_line, end = getattr(node, "end_lineno", None), getattr(node, "end_col_offset", None)
    if line is None or column is None or end_line is None or end is None:
        return None
    return line, column, end_line, end


def same(one: ast.AST, other: ast.AST, stand_ins: Mapping[str, ast.AST] | None = None) -> bool:
    """Whether two nodes have the same structure, places and the use of names (read, stored) aside.

    A name in `other` that is one of `stand_ins` stands for that node. Works on any depth of nesting.
    """
    pairs: list[tuple[object, object]] = [(one, other)]
    while pairs:
        left, right = pairs.pop()
        if stand_ins and isinstance(right, ast.Name) and right.id in stand_ins:
            right = stand_ins[right.id]
        if type(left) is not type(right):
            return False
        if isinstance(left, ast.AST) and isinstance(right, ast.AST):
            pairs += ((getattr(left, name, None), getattr(right, name, None)) for name in _fields(left))
        elif isinstance(left, list) and isinstance(right, list):
            if len(left) != len(right):
                return False
            pairs += zip(left, right, strict=True)
        elif left != right:
            return False
    return True


def _fields(node: ast.AST) -> Iterator[str]:
    return (name for name in node._fields if name != "ctx")
