"""What the imitations remember of a graph: which operations mean something to the NPU."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..places import Place

ITERATION_OP = "IterationOp"
"""The name of the operation that the loop on the device repeats."""


class Loop(NamedTuple):
    """`operation` stands for several runs of `inner`."""

    operation: Any
    inner: Any
    place: Place | None


class ScaledUpdate(NamedTuple):
    """`operation` applies gradients for a loss-scale optimizer that was made at `place`.

    `counts` tells whether it was given the step counter, which then stands still in the steps it skips.
    `optimizer` is the class of the one inside.
    """

    operation: Any
    place: Place | None
    counts: bool
    optimizer: str


class Guarded(NamedTuple):
    """Variables of a loss-scale manager that was made under control dependencies."""

    variables: tuple[str, ...]
    dependencies: tuple[str, ...]
    place: Place | None


class Marks:
    """The marks of one graph.

    `communication` has the operations that initialize the collective communication, `collectives` those in
    which the ranks wait for each other. `outfeeds` are operations that take what the device sends.
    """

    def __init__(self) -> None:
        self.loops: list[Loop] = []
        self.updates: list[ScaledUpdate] = []
        self.guarded: list[Guarded] = []
        self.communication: list[Any] = []
        self.collectives: dict[Any, None] = {}
        self.outfeeds: list[Any] = []
        self.gradients: dict[Any, None] = {}
        self.dead_initializers: dict[Any, Place | None] = {}


def marks_of(graph: Any) -> Marks:
    """The marks of `graph`, which are made when they are first asked for."""
    marks = getattr(graph, "_npu_rehearsal_marks", None)
    if not isinstance(marks, Marks):
        marks = Marks()
        graph._npu_rehearsal_marks = marks
    return marks


def mark_collective(value: Any) -> Any:
    """`value`, a tensor or slices, after it was marked as what the ranks make together."""
    operation = getattr(getattr(value, "values", value), "op", None)
    if operation is not None:
        marks_of(operation.graph).collectives[operation] = None
    return value


def is_looped(operation: Any) -> bool:
    """Whether `operation` is called as the NPU expects it of a looped operation."""
    return str(operation.name).split("/")[-1].startswith(ITERATION_OP)
