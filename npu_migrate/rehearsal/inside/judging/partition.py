"""Runs that are left to the host, and what they assign: it does not reach the device."""

from __future__ import annotations

from typing import Any, Callable, Iterator, Mapping

from ..events import Verdict
from ..graphs.marks import marks_of
from ..graphs.operations import ITERATORS
from ..graphs.pruning import Pruned, needed
from .seen import Seen


def on_host(pruned: Pruned) -> bool:
    """Whether the runtime leaves a whole run to the host (`CODE:om_partition_subgraphs_pass.cc`)."""
    if makes_iterators(pruned):
        return True
    first = next(iter(pruned.operations), None)
    return first is not None and any(one in pruned for one in marks_of(first.graph).outfeeds)


def makes_iterators(pruned: Pruned) -> bool:
    """Whether a run initializes an iterator."""
    return bool(pruned.matching("MakeIterator") and pruned.of(*ITERATORS))


def variables_zeroed(seen: Seen, lost: Mapping[Any, Any]) -> Iterator[Verdict]:
    """The verdict on a run that initializes an iterator and gives `lost` values that are not zeros.

    `lost` has variables, each with the operation that assigns it. The place is what brings the two together:
    an operation that needs both, or else the run.
    """
    makers = seen.pruned.matching("MakeIterator")
    together = _joint(seen.pruned, frozenset(makers), frozenset(lost.values()))
    variables = sorted(lost, key=_order(seen.session.graph))
    related = [(seen.places.of_operation(makers[0]), "iterator")]
    related += [(seen.places.of_operation(one), "variable") for one in variables[:3]]
    yield Verdict(
        "NPU108",
        "variables-zeroed",
        "error",
        {
            "variables": [one.outputs[0].name for one in variables],
            "iterator": makers[0].inputs[1].op.name,
        },
        seen.place if together is None else seen.line_of(together),
        tuple(related),
    )


def _order(graph: Any) -> Callable[[Any], tuple[bool, int]]:
    """Trainable variables come first, then those that were made first."""
    trainable = {variable.op.name for variable in graph.get_collection("trainable_variables")}
    numbers = {operation.name: number for number, operation in enumerate(graph.get_operations())}
    return lambda variable: (variable.name not in trainable, numbers.get(variable.name, 0))


def _joint(pruned: Pruned, makers: frozenset[Any], writers: frozenset[Any]) -> Any | None:
    """The innermost operation that needs one of `makers` and one of `writers`."""
    found = None
    candidates: Iterator[Any] = pruned.wanted.operations()
    while True:
        for operation in candidates:
            closure = frozenset(needed([operation], pruned.wanted.feeds))
            if closure & makers and closure & writers and operation not in makers | writers:
                found = operation
                break
        else:
            return found
        inner: list[Any] = list(found.control_inputs)
        inner += [tensor.op for tensor in found.inputs]
        candidates = iter(inner)
