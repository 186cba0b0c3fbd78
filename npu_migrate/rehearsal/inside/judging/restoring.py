"""What a restored checkpoint leaves out."""

from __future__ import annotations

from typing import Any

from ..events import Verdict
from ..graphs.pruning import needed
from ..places import Place, Places


def lost(init_op: Any, local_init_op: Any, places: Places) -> dict[str, Verdict]:
    """The iterators that only `init_op` initializes, which is not run when a checkpoint is restored."""
    kept = _initialized(local_init_op)
    found = {}
    for name, maker in _initialized(init_op).items():
        if name not in kept:
            place = places.here() if init_op is maker else places.of_operation(init_op)
            related = ((places.of_operation(maker), "iterator"),)
            arguments = {"iterator": name}
            found[name] = Verdict(
                "NPU110", "initializer-lost", "error", arguments, place or places.here(), related
            )
    return found


def never_initialized(iterator: Any, places: Places, run: Place | None) -> Verdict:
    """The verdict on a run that found `iterator` without its data."""
    return Verdict(
        "NPU102",
        "never-initialized",
        "error",
        {"iterator": iterator.name},
        places.of_operation(iterator) or run,
    )


def _initialized(operation: Any) -> dict[str, Any]:
    """The iterators that an init op initializes, with the operations that do."""
    operation = getattr(operation, "op", operation)
    if not hasattr(operation, "control_inputs"):
        return {}
    return {one.inputs[1].op.name: one for one in needed([operation]) if "MakeIterator" in one.type}
