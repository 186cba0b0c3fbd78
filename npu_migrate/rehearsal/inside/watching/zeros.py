"""Variables of a session's CPU: read, and set to zeros, without a new operation in the graph."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, List

Run = Callable[[List[Any], List[Any], Dict[Any, Any]], List[Any]]
"""Runs targets and fetches with feeds in a session, unseen by the watcher."""


def values_of(variables: Iterable[Any], run: Run) -> dict[Any, Any]:
    """The values of those `variables` that can be read."""
    found = {}
    for variable in variables:
        tensor = _read(variable)
        if tensor is not None:
            try:
                found[variable] = run([], [tensor], {})[0]
            except Exception:
                # Not initialized after all, for instance in a branch that was not taken.
                continue
    return found


def has_other_than_zeros(value: Any) -> bool:
    """Whether an array holds anything but zeros, False, or empty strings."""
    array = value if hasattr(value, "ravel") else None
    if array is None:
        return bool(value)
    if array.dtype.kind in "OSU":
        return any(bool(one) for one in array.ravel().tolist())
    return bool((array != 0).any())


def set_to_zeros(values: dict[Any, Any], run: Run) -> None:
    """Give each variable zeros in the place of the value that it has."""
    import numpy

    for variable, value in values.items():
        assign = _assign(variable)
        array = numpy.asarray(value)
        if assign is not None and array.dtype.kind not in "OSU":
            run([assign], [], {assign.inputs[1]: numpy.zeros_like(array)})


def _read(variable: Any) -> Any | None:
    output = variable.outputs[0]
    if variable.type != "VarHandleOp":
        return output
    for consumer in output.consumers():
        if consumer.type == "ReadVariableOp" and consumer.outputs:
            return consumer.outputs[0]
    return None


def _assign(variable: Any) -> Any | None:
    for consumer in variable.outputs[0].consumers():
        if (
            consumer.type in ("Assign", "AssignVariableOp")
            and consumer.inputs[0].op is variable
            and not consumer.control_inputs
        ):
            return consumer
    return None
