"""Functions of a graph's library: which of its arguments a function writes to."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, Pattern

_functions_of = attrgetter("library.function")
"""The definitions of functions in a `GraphDef`."""


def mutated_inputs(operation: Any, writes: Pattern[str]) -> frozenset[int]:
    """The inputs of a call of functions that one of these writes to, by operations of the types `writes`."""
    library = _library(operation.graph)
    first = {"If": 1, "StatelessIf": 1, "Case": 1}.get(operation.type, 0)
    found: set[int] = set()
    for name in _called(operation):
        found.update(first + position for position in _mutated(name, library, writes, frozenset()))
    return frozenset(found)


def _called(operation: Any) -> list[str]:
    names = []
    for value in operation.node_def.attr.values():
        if value.HasField("func"):
            names.append(value.func.name)
        names.extend(one.name for one in value.list.func)
    return names


def _library(graph: Any) -> dict[str, Any]:
    """The functions by their names; kept as long as the graph does not grow."""
    kept = getattr(graph, "_npu_rehearsal_library", None)
    if kept is None or kept[0] != graph.version:
        functions = {one.signature.name: one for one in _functions_of(graph.as_graph_def())}
        kept = graph.version, functions
        graph._npu_rehearsal_library = kept
    library: dict[str, Any] = kept[1]
    return library


def _mutated(
    name: str, library: dict[str, Any], writes: Pattern[str], above: frozenset[str]
) -> frozenset[int]:
    function = library.get(name)
    if function is None or name in above:
        return frozenset()
    arguments = {one.name: number for number, one in enumerate(function.signature.input_arg)}
    origins = dict(arguments)
    for node in function.node_def:
        if node.op in ("Identity", "Switch", "Enter") and node.input:
            origin = origins.get(node.input[0].split(":")[0])
            if origin is not None:
                origins[node.name] = origin
    found: set[int] = set()
    for node in function.node_def:
        if writes.match(node.op) and node.input:
            positions = [0]
        else:
            called = [value.func.name for value in node.attr.values() if value.HasField("func")]
            first = 1 if node.op in ("If", "StatelessIf") else 0
            positions = [
                first + one for each in called for one in _mutated(each, library, writes, above | {name})
            ]
        for position in positions:
            if position < len(node.input):
                origin = origins.get(node.input[position].split(":")[0])
                if origin is not None:
                    found.add(origin)
    return frozenset(found)
