"""All mutants of a module: mutmut's operators applied to each node, and conditions turned round."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.mutators import mutation_operators

LEFT_ALONE = ("isinstance", "len", "Rule")
"""Calls whose arguments stay: for most others they raise an exception at once, or (`Rule`) they are texts."""


@dataclass(frozen=True, slots=True, eq=False)
class Mutant:
    """One change of one module (a path below the package); `line` and `column` are 1-based.

    `lines` are all lines of what is changed, `function` is the innermost one around it, or empty.
    """

    module: str
    line: int
    column: int
    lines: range
    function: str
    tree: cst.Module
    node: cst.CSTNode
    instead: cst.CSTNode

    @property
    def name(self) -> str:
        """Where it is and what it does, on one line."""
        texts = (self.tree.code_for_node(node) for node in (self.node, self.instead))
        old, new = (" ".join(text.split()) for text in texts)
        return f"{self.module}:{self.line}:{self.column} {self.function or 'module'}: {old}  ->  {new}"

    @property
    def code(self) -> str | None:
        """The code of the mutated module; ``None`` if it is the same program, or none at all."""
        code = self.tree.deep_replace(self.node, self.instead).code
        try:
            same = ast.dump(ast.parse(code)) == ast.dump(ast.parse(self.tree.code))
        except SyntaxError:
            return None
        return None if same else code


def mutants_of(package: Path, module: str) -> list[Mutant]:
    """The mutants of a module of the package, in the order of their places."""
    text = (package / module).read_text("utf-8")
    wrapper = MetadataWrapper(cst.parse_module(text))
    collector = _Collector(sentences=not module.startswith("rules/"))
    wrapper.module.visit(collector)
    places = wrapper.resolve(PositionProvider)
    functions = _functions(text)
    result = []
    for node, instead in collector.changes:
        start, end = places[node].start, places[node].end
        lines = range(start.line, end.line + 1)
        function = _around(functions, start.line)
        result.append(
            Mutant(module, start.line, start.column + 1, lines, function, wrapper.module, node, instead)
        )
    return sorted(result, key=lambda one: (one.line, one.column))


class Change(NamedTuple):
    """A node and what may stand in its place."""

    node: cst.CSTNode
    instead: cst.CSTNode


class _Collector(cst.CSTVisitor):
    """Collects the changes. Annotations, decorators and imports are left as they are; so may be sentences."""

    def __init__(self, sentences: bool) -> None:
        self.changes: list[Change] = []
        self._sentences = sentences

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.Annotation | cst.Decorator | cst.Import | cst.ImportFrom):
            return False
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value in LEFT_ALONE:
            return False
        if not self._sentences and isinstance(node, cst.BaseString) and _is_sentence(node):
            return False
        self.changes += _changes(node)
        return True


def _is_sentence(node: cst.BaseString) -> bool:
    return cst.Module([]).code_for_node(node).count(" ") > 2


def _changes(node: cst.CSTNode) -> Iterator[Change]:
    if isinstance(node, cst.If | cst.IfExp | cst.CompIf | cst.While):
        yield Change(node.test, _negated(node.test))
    for kind, operator in mutation_operators:
        if isinstance(node, kind):
            found = list(operator(node))
            for instead in found[:1] if isinstance(node, cst.BaseString) else found:
                yield Change(node, instead)


def _negated(test: cst.BaseExpression) -> cst.BaseExpression:
    inner = test.with_changes(lpar=[*test.lpar, cst.LeftParen()], rpar=[*test.rpar, cst.RightParen()])
    return cst.UnaryOperation(cst.Not(), inner)


def _functions(text: str) -> Sequence[tuple[int, int, str]]:
    """The first and last line of each function, with its name, outer ones first."""
    return [
        (node.lineno, node.end_lineno or node.lineno, node.name)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef)
    ]


def _around(functions: Sequence[tuple[int, int, str]], line: int) -> str:
    """The name of the innermost function around a line; empty outside of functions."""
    return next((name for first, last, name in reversed(functions) if first <= line <= last), "")
