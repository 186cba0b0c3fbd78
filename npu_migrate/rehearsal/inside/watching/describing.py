"""A pruned graph, read once: what its runs do."""

from __future__ import annotations

from typing import Any

from ..graphs.marks import is_looped
from ..graphs.operations import GET_NEXT, ITERATORS, assignments, initialized_tables, is_update, sources
from ..graphs.pruning import Pruned, Wanted
from ..judging.partition import makes_iterators, on_host
from ..judging.resources import dataset_of
from ..sessions.sessions import Judged


def describe(wanted: Wanted) -> Judged:
    """What a run does that wants this."""
    pruned = Pruned(wanted)
    assigned = assignments(pruned.operations)
    written = [variable.name for variable in assigned]
    written += [table.name for table in initialized_tables(pruned.operations)]
    makers = pruned.matching("MakeIterator") if makes_iterators(pruned) else []
    return Judged(
        pruned=pruned,
        host=on_host(pruned),
        assigned=assigned,
        written=frozenset(written),
        makers=tuple((maker.inputs[1].op.name, dataset_of(maker, pruned)) for maker in makers),
        iterators=tuple(iterator.name for iterator in _read(pruned)),
        trains=any(map(is_update, pruned.types)),
        looped=any(map(is_looped, pruned.operations)),
    )


def _read(pruned: Pruned) -> list[Any]:
    found: dict[Any, None] = {}
    for operation in pruned.of(*GET_NEXT):
        for iterator in sources(operation.inputs[0], ITERATORS):
            found[iterator] = None
    return list(found)
