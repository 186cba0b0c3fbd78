"""Code that works in a graph of its own: ``with graph.as_default():``.

Keras takes a session that was set only for the graph of this session; in another graph it makes one of its
own without a config (TensorFlow 1.15 ``tensorflow/python/keras/backend.py``, ``_get_session`` [TF]).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from npu_migrate.index.facts import Call, last_name
from npu_migrate.index.names import ancestors, enclosing_function
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.flow import externals_called
from npu_migrate.training.pipelines.reachability import Steps, ways_to

_AS_DEFAULT = "as_default"
_GRAPH = "tensorflow.Graph"
_NEW_GRAPH = "Graph"
_RESET = "reset_default_graph"
_MANAGERS = frozenset({"contextmanager"})
_ENTERING = "__enter__"


class GraphBlock(NamedTuple):
    """A ``with`` statement that makes another graph the default one."""

    key: str
    statement: int


class Surroundings(NamedTuple):
    """The blocks around some code; `known` is False where a graph becomes the default one in other ways."""

    blocks: frozenset[GraphBlock]
    known: bool


def graphs_around(project: Project, refs: Iterable[Ref], files: frozenset[str], steps: Steps) -> Surroundings:
    """The blocks with graphs of their own around code, or around code that leads there by `steps`."""
    entered = [one for one in _entered(project) if one.key in files]
    if not entered:
        return Surroundings(frozenset(), known=True)
    blocks = {block for block in (_block(project, one) for one in entered) if block is not None}
    found = frozenset(
        GraphBlock(way.key, number)
        for ref in refs
        for way in ways_to(project, ref, steps, files)
        for number in _around(project, way)
        if GraphBlock(way.key, number) in blocks
    )
    return Surroundings(found, known=all(_block(project, one) is not None for one in entered))


def _around(project: Project, ref: Ref) -> Iterator[int]:
    facts = project.facts(ref.key)
    assert facts is not None
    return ancestors(facts, ref.statement)


@once
def _entered(project: Project) -> tuple[Ref, ...]:
    """The calls of ``as_default`` of a graph that a program makes, or may have made."""
    made = bool(project.calls_named(_NEW_GRAPH))
    found = (ref_of_call(key, site) for key, site in project.calls_named(_AS_DEFAULT))
    return tuple(one for one in found if made and _is_of_own_graph(project, one))


def _is_of_own_graph(project: Project, ref: Ref) -> bool:
    names = externals_called(project, ref)
    return not names or f"{_GRAPH}.{_AS_DEFAULT}" in names


@once
def _block(project: Project, entered: Ref) -> GraphBlock | None:
    """The ``with`` statement of a call of ``as_default``; None where a graph is entered otherwise."""
    facts = project.facts(entered.key)
    assert facts is not None
    statement = facts.statements[entered.statement]
    if statement.kind != "With" or not any(value is entered.expr for value in statement.values):
        return None
    scope = facts.scopes[enclosing_function(facts, entered.scope)]
    decorators = (one.func if isinstance(one, Call) else one for one in scope.decorators)
    if scope.name == _ENTERING or not _MANAGERS.isdisjoint(map(last_name, decorators)):
        return None
    return GraphBlock(entered.key, statement.id)


def resets_of(project: Project, files: frozenset[str]) -> Iterator[Ref]:
    """The calls in `files` that make a new default graph, in which a session that was set does not count."""
    for key, site in project.calls_named(_RESET):
        ref = ref_of_call(key, site)
        if key in files and any(name.endswith(f".{_RESET}") for name in externals_called(project, ref)):
            yield ref
