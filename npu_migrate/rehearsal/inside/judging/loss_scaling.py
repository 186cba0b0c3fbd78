"""Loss scaling: managers, updates, tests for overflow, and the step counter."""

from __future__ import annotations

import os
from typing import Any, Iterator

from ..events import Refusal, Verdict
from ..graphs.marks import ScaledUpdate
from ..graphs.pruning import needed
from ..places import Place, frames_of
from .seen import Seen

TESTS = ("IsFinite", "IsInf", "IsNan")
_FUNCTIONS = frozenset(["is_finite", "is_inf", "is_nan"])
_WRAPPERS = frozenset(["dispatch.py", "deprecation.py", "traceback_utils.py"])
_MAKERS = frozenset(["gen_math_ops.py", "op_def_library.py", "ops.py", "tf_stack.py"])


def overflow_not_shared(optimizer: str, place: Place | None) -> Iterator[Verdict]:
    """The verdict on loss scaling around a distributed optimizer, of which the other ranks hear nothing."""
    yield Verdict("NPU407", "overflow-not-shared", "warning", {"optimizer": optimizer}, place)


def judge(seen: Seen) -> Iterator[Verdict]:
    """The verdicts on what one run scales."""
    yield from _managers(seen)
    yield from _updates(seen)
    yield from _tests(seen)
    yield from _steps_beside(seen)


def _managers(seen: Seen) -> Iterator[Verdict]:
    for guarded in seen.marks.guarded:
        if seen.run.written.isdisjoint(guarded.variables):
            continue
        names = ", ".join(guarded.dependencies)
        yield Verdict(
            "NPU401",
            "manager-under-control",
            "error",
            {"dependencies": list(guarded.dependencies)},
            guarded.place or seen.place,
            refusal=Refusal("Placeholder not support: control dependencies on " + names),
        )


def _updates(seen: Seen) -> Iterator[Verdict]:
    updates = [one for one in seen.marks.updates if one.operation in seen.pruned]
    if len(updates) > 1:
        yield Verdict(
            "NPU408",
            "two-updates",
            "warning",
            {"optimizers": list(map(_named, updates))},
            seen.place,
            tuple((one.place, "optimizer") for one in updates),
        )


def _named(update: ScaledUpdate) -> str:
    return update.optimizer if update.place is None else f"{update.optimizer} (line {update.place.line})"


def _tests(seen: Seen) -> Iterator[Verdict]:
    if not seen.run.trains or not seen.marks.gradients:
        return
    for operation in seen.pruned.of(*TESTS):
        if _is_called_directly(seen, operation) and _tests_gradients(seen, operation):
            arguments = {"op": operation.name}
            yield Verdict("NPU405", "own-overflow-test", "warning", arguments, seen.line_of(operation))


def _tests_gradients(seen: Seen, operation: Any) -> bool:
    return any(one in seen.marks.gradients for one in needed([operation]))


def _is_called_directly(seen: Seen, operation: Any) -> bool:
    """Whether the script itself calls the function; TensorFlow's own clipping tests the norm by itself."""
    frames = list(frames_of(operation))
    own = [number for number, frame in enumerate(frames) if seen.places.own(frame[0]) is not None]
    if not own:
        return False
    called = False
    for path, _, name in frames[own[-1] + 1 :]:
        file = os.path.basename(path)
        called = called or name in _FUNCTIONS
        if file not in _WRAPPERS and not (called and file in _MAKERS):
            return False
    return called


def _steps_beside(seen: Seen) -> Iterator[Verdict]:
    """The step counter moves beside an update that may be skipped, so it counts the skipped steps too."""
    if not any(one.operation in seen.pruned and not one.counts for one in seen.marks.updates):
        return
    counters = [variable.op for variable in seen.session.graph.get_collection("global_step")]
    for variable, operation in seen.run.assigned.items():
        if variable in counters and not _is_counted_by_optimizer(operation):
            place = seen.line_of(operation)
            yield Verdict("NPU406", "steps-beside", "warning", {"op": operation.name}, place)


def _is_counted_by_optimizer(operation: Any) -> bool:
    """Whether an optimizer's own ``apply_gradients`` counts: of another optimizer in the same run."""
    return any(
        name == "apply_gradients" and os.path.basename(file) == "optimizer.py"
        for file, _, name in frames_of(operation)
    )
