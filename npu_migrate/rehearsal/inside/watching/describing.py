"""A pruned graph, read once: what its runs do."""

from __future__ import annotations

from typing import Any

from ..graphs.marks import is_looped
from ..graphs.operations import assignments, initialized_tables, is_update, iterators_read
from ..graphs.pruning import Pruned, Wanted
from ..judging.partition import makes_iterators, on_host
from ..judging.resources import dataset_of
from ..sessions.sessions import KnownRun


def describe(wanted: Wanted) -> KnownRun:
    """What a run does that wants this."""
    pruned = Pruned(wanted)
    assigned = assignments(pruned.operations)
    written = [variable.name for variable in assigned]
    written += [table.name for table in initialized_tables(pruned.operations)]
    makers = pruned.matching("MakeIterator") if makes_iterators(pruned) else []
    return KnownRun(
        pruned=pruned,
        host=on_host(pruned),
        assigned=assigned,
        written=frozenset(written),
        makers=tuple((maker.inputs[1].op.name, dataset_of(maker, pruned)) for maker in makers),
        iterators=tuple(iterator.name for iterator in iterators_read(pruned)),
        changes_model=_changes_model(pruned, assigned),
        trains=any(map(is_update, pruned.types)),
        looped=any(map(is_looped, pruned.operations)),
    )


def _changes_model(pruned: Pruned, assigned: dict[Any, Any]) -> bool:
    """Whether a run gives variables new values: not those of a checkpoint, and not only to local ones."""
    if not assigned or pruned.of("RestoreV2", "Restore"):
        return False
    graph = next(iter(assigned)).graph
    local = {variable.op.name for variable in graph.get_collection("local_variables")}
    return any(variable.name not in local for variable in assigned)
