"""Descriptions of graphs, and what is imported from them: nobody starts a copy of an iterator there."""

from __future__ import annotations

from dataclasses import dataclass

from npu_migrate.abstract_run.libraries.world import Graph, Tensor, World
from npu_migrate.abstract_run.machine.values import Arguments, Native, Unknown, Value

COPIED = "a graph is imported with a copy of the iterator, which nobody initializes there"
_MAY_HOLD = "a graph is imported that may hold an iterator"
_IMPORTERS = frozenset({"import_graph_def", "import_meta_graph"})
_WRITERS = frozenset({"export_meta_graph", "write_graph"})


@dataclass(eq=False)
class GraphDefinition:
    """What ``as_graph_def`` and ``export_meta_graph`` give: all of a graph, or a part that is not known."""

    graph: Graph
    whole: bool = True

    def attribute(self, name: str) -> Value:
        """The graph in a meta graph, the text of a definition, and what is put into another one."""
        if name == "graph_def":
            return self
        if name in ("SerializeToString", "__deepcopy__"):
            return Native(name, lambda _: GraphDefinition(self.graph, whole=self.whole))
        if name in ("CopyFrom", "MergeFrom", "ParseFromString"):
            raise self.graph.world.run.lost("the description of a graph is written over")
        return Unknown(name)


def described(graph: Graph) -> Value:
    """The description of a graph as it is now."""
    return GraphDefinition(graph) if graph.has_iterators else Unknown("a graph definition")


def defined(world: World, name: str, arguments: Arguments) -> Value:
    """What a function does that describes a graph, or makes one of a description. None for other functions.

    Raises `Lost` where a graph is imported that is not known, and may hold an iterator.
    """
    last = name.rpartition(".")[2]
    given = [
        value
        for value in (*arguments.positional, *arguments.keywords.values())
        if isinstance(value, GraphDefinition)
    ]
    if last in _IMPORTERS:
        return _imported(world, name, given)
    if last in _WRITERS:
        world.exported |= any(graph.has_iterators for graph in world.graphs)
        world.outside += 1
        return described(world.graph) if last == "export_meta_graph" else Unknown("a path")
    return GraphDefinition(given[0].graph, whole=False) if given else None


def _imported(world: World, name: str, given: list[GraphDefinition]) -> Value:
    if any(one.whole and one.graph.has_initializable for one in given):
        world.run.fault("copied", COPIED)
    if world.exported or any(not one.whole for one in given):
        raise world.run.lost(_MAY_HOLD)
    return Tensor(world, world.graph.around(), name)
