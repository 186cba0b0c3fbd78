"""Right migrations spoilt: a line that initializes is deleted, moved or repeated, a registration deleted."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from abstract_run.judged import changed_lines
from fidelity import Tree

_RUNS = re.compile(r"\.run\(|\.evaluate\(")
_INITIALIZES = re.compile(r"initializer|iterator_initializers")


class Mutant(NamedTuple):
    """A spoilt migration: what was done to which line, and the files."""

    way: str
    place: str
    files: Tree


class _Line(NamedTuple):
    """A line with a whole statement: its number, from 0, and its block with the place in it."""

    number: int
    block: Sequence[ast.stmt]
    position: int


def mutants(before: Tree, after: Tree) -> Iterator[Mutant]:
    """Each added line that initializes an iterator spoilt in each way; of files in UTF-8."""
    for name, content in after.items():
        text = content.decode("utf-8", "replace")
        if text.encode() != content or "\r" in text:
            continue
        added = {
            number
            for first, last in changed_lines(before.get(name, b""), content).after
            for number in range(first - 1, last)
        }
        lines = text.splitlines(keepends=True)
        for line in _statements(ast.parse(text)):
            if line.number in added and _INITIALIZES.search(lines[line.number]):
                for way, spoilt in _spoilt(lines, line):
                    if spoilt != text and _compiles(spoilt):
                        yield Mutant(way, f"{name}:{line.number + 1}", after | {name: spoilt.encode()})


def _statements(tree: ast.AST) -> Iterator[_Line]:
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                for position, statement in enumerate(block):
                    if isinstance(statement, ast.Expr) and statement.lineno == statement.end_lineno:
                        yield _Line(statement.lineno - 1, block, position)


def _spoilt(lines: Sequence[str], line: _Line) -> Iterator[tuple[str, str]]:
    own = lines[line.number]
    indent = own[: len(own) - len(own.lstrip())]
    without = [*lines[: line.number], f"{indent}pass\n", *lines[line.number + 1 :]]
    if "add_to_collection" in own:
        yield "registration deleted", "".join(without)
        return
    if not _RUNS.search(own):
        return
    yield "run deleted", "".join(without)
    behind = line.block[line.position + 1 :]
    before = line.block[: line.position]
    if before:
        yield "run moved up", "".join(_with(without, before[-1].lineno - 1, own))
    if behind:
        yield "run moved down", "".join(_with(without, _end(behind[0]), own))
        yield "run repeated", "".join(_with(lines, _end(behind[0]), own))
    if len(behind) > 1:
        yield "run moved to the end", "".join(_with(without, _end(behind[-1]), own))
        yield "run repeated at the end", "".join(_with(lines, _end(behind[-1]), own))
    for loop in behind:
        if isinstance(loop, (ast.For, ast.While)):
            first = loop.body[0]
            inner = " " * first.col_offset + own.lstrip()
            yield "run moved into a loop", "".join(_with(without, first.lineno - 1, inner))
            yield "run repeated in a loop", "".join(_with(lines, first.lineno - 1, inner))
            break


def _with(lines: Sequence[str], index: int, line: str) -> list[str]:
    return [*lines[:index], line, *lines[index:]]


def _end(statement: ast.stmt) -> int:
    assert statement.end_lineno is not None
    return statement.end_lineno


def _compiles(text: str) -> bool:
    try:
        compile(text, "mutant", "exec")
    except SyntaxError:
        return False
    return True
