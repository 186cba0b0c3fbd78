"""P1 and P2: runs that are left to the host. What P1 assigns does not reach the device."""

from __future__ import annotations

from typing import Any, Iterator, Mapping

from ..events import Verdict
from ..operations import ITERATORS
from ..places import Place, Places
from ..pruning import Pruned, needed


def on_host(pruned: Pruned) -> bool:
    """Whether the runtime leaves a whole run to the host (`CODE:om_partition_subgraphs_pass.cc`)."""
    return bool(pruned.of("OutfeedDequeueOp")) or makes_iterators(pruned)


def makes_iterators(pruned: Pruned) -> bool:
    """Whether a run initializes an iterator."""
    return bool(pruned.matching("MakeIterator") and pruned.of(*ITERATORS))


def variables_zeroed(pruned: Pruned, lost: Mapping[Any, Any], places: Places, run: Place | None) -> Verdict:
    """The verdict on a run at `run` that initializes an iterator and gives `lost` values that are not zeros.

    `lost` has variables, each with the operation that assigns it. The place is what brings the two together:
    an operation that needs both, or else the run.
    """
    makers = pruned.matching("MakeIterator")
    together = _joint(pruned, frozenset(makers), frozenset(lost.values()))
    related = [(places.of_operation(makers[0]), "iterator")]
    related += [(places.of_operation(one), "variable") for one in list(lost)[:3]]
    return Verdict(
        "NPU108",
        "variables-zeroed",
        "error",
        {
            "variables": [one.outputs[0].name for one in lost],
            "iterator": makers[0].inputs[1].op.name,
        },
        (places.of_operation(together) if together is not None else None) or run,
        tuple(related),
    )


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
