"""What a restored checkpoint leaves out."""

from __future__ import annotations

from typing import Any, Iterator

from ..events import Verdict
from ..graphs.operations import iterators_read
from ..graphs.pruning import needed
from ..places import Places
from .seen import Seen


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


def never_initialized(seen: Seen, message: str) -> Iterator[Verdict]:
    """The verdicts on a run that failed with `message`, which only says that an iterator has no data."""
    if "iterator has not been initialized" not in message:
        return
    session = seen.session
    for iterator in iterators_read(seen.pruned):
        if iterator.name not in session.state.datasets and iterator.name not in session.explained:
            arguments = {"iterator": iterator.name}
            yield Verdict("NPU102", "never-initialized", "error", arguments, seen.line_of(iterator))


def _initialized(operation: Any) -> dict[str, Any]:
    """The iterators that an init op initializes, with the operations that do."""
    operation = getattr(operation, "op", operation)
    if not hasattr(operation, "control_inputs"):
        return {}
    return {one.inputs[1].op.name: one for one in needed([operation]) if "MakeIterator" in one.type}
