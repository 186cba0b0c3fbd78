#!/usr/bin/env python3
"""The import graph of the package: its rooms, the floors of modules in each, and circles, if there are any.

    python tests/import_graph.py [ROOM...]      all rooms, a line each; of the named ones every floor

Imports that only type checkers see count too. A module is one floor above the highest module of its room that
it imports. Modules of a circle share a floor.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "npu_migrate"
INSIDE = PACKAGE / "rehearsal" / "inside"
"""What runs in another Python: it has only itself and the standard library."""

NOT_OURS = ("examples", "imitations")
"""Folders of Python files that are no modules of the package."""

Graph = Mapping[str, frozenset[str]]
"""Each module, without the package's own name (``sources.lines``), with the modules that it imports."""


def import_graph(package: Path = PACKAGE) -> Graph:
    """The graph of all modules; a package's ``__init__`` counts as the module of that name."""
    files = {
        _name(package, file): file
        for file in sorted(package.rglob("*.py"))
        if not {*file.relative_to(package).parts} & {*NOT_OURS}
    }
    return {
        name: frozenset(module for module in _imported(package.name, file, files) if module != name)
        for name, file in files.items()
    }


def rooms_of(graph: Graph) -> dict[str, frozenset[str]]:
    """The modules of each room: the folders and modules that lie at the top of the package."""
    found: dict[str, set[str]] = {}
    for module in graph:
        found.setdefault(module.partition(".")[0], set()).add(module)
    return {room: frozenset(modules) for room, modules in found.items()}


def within(graph: Graph, modules: Iterable[str]) -> Graph:
    """The part of the graph that lies between some of its modules."""
    kept = frozenset(modules)
    return {module: graph[module] & kept for module in sorted(kept)}


def circles(graph: Graph) -> list[frozenset[str]]:
    """The largest sets of modules that import each other, directly or not; none when all is well."""
    return [knot for knot in _knots(graph) if len(knot) > 1]


def floors(graph: Graph) -> list[list[str]]:
    """The modules by floors, the lowest first."""
    floor: dict[str, int] = {}
    for knot in _knots(graph):
        below = [floor[other] for module in knot for other in graph[module] - knot]
        floor.update(dict.fromkeys(knot, 1 + max(below, default=0)))
    return [
        sorted(module for module, one in floor.items() if one == number)
        for number in range(1, max(floor.values(), default=0) + 1)
    ]


def _knots(graph: Graph) -> list[frozenset[str]]:
    """Strongly connected modules together, each set behind those that it imports (Tarjan's algorithm)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[frozenset[str]] = []

    def visit(module: str) -> None:
        order[module] = lowest[module] = len(order)
        stack.append(module)
        for other in sorted(graph[module]):
            if other not in order:
                visit(other)
            if other in stack:
                lowest[module] = min(lowest[module], lowest[other])
        if lowest[module] == order[module]:
            start = stack.index(module)
            found.append(frozenset(stack[start:]))
            del stack[start:]

    for module in graph:
        if module not in order:
            visit(module)
    return found


def _name(package: Path, file: Path) -> str:
    parts = file.relative_to(package).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def _imported(package: str, file: Path, modules: Mapping[str, Path]) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        for name in names_in(node, file):
            inside = name.removeprefix(f"{package}.") if name != package else "__init__"
            if name.partition(".")[0] == package:
                yield next(part for part in _prefixes(inside) if part in modules)


def _prefixes(name: str) -> Iterator[str]:
    parts = name.split(".")
    yield from (".".join(parts[:count]) for count in range(len(parts), 0, -1))
    yield "__init__"


def names_in(node: ast.AST, file: Path) -> list[str]:
    """The names that an import statement of `file` asks for.

    Only what runs in another Python, where this package has another name, uses relative ones.
    """
    if isinstance(node, ast.ImportFrom):
        module = node.module
        if node.level:
            assert INSIDE in file.parents
            folder = file.parents[node.level - 1].relative_to(PACKAGE.parent)
            module = ".".join(filter(None, (*folder.parts, node.module)))
        return [f"{module}.{alias.name}" for alias in node.names]
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else []


def main(named: list[str]) -> None:
    graph = import_graph()
    for room, modules in sorted(rooms_of(graph).items()):
        stack = floors(within(graph, modules))
        print(f"{room:14} {len(modules):3} modules on {len(stack):2} floors")
        if room in named:
            for number, floor in enumerate(stack, 1):
                print(f"{number:6}  {' '.join(module.partition('.')[2] or '(itself)' for module in floor)}")
    print(f"{len(graph)} modules on {len(floors(graph))} floors")
    for circle in circles(graph):
        print("circle:", " ".join(sorted(circle)))


if __name__ == "__main__":
    main(sys.argv[1:])
