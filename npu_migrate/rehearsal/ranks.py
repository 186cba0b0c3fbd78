"""The ranks of a training compared: each has to send the same graphs to its device, in the same order.

The device numbers the graphs as they come, and the operations in which the ranks wait for each other by the
graph. A graph that only some ranks have moves the numbers of all that come later
(`FAQ:multi-device_model_error`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import NamedTuple

from npu_migrate.findings import Severity
from npu_migrate.rehearsal.protocol import DeviceGraph, Line, Recording, Status, Verdict
from npu_migrate.sources.discovery import moved

_ENDINGS: tuple[Status, ...] = ("finished", "stopped", "aborted", "failed", "killed")
"""How runs end, the worst last."""


class RanksCompared(NamedTuple):
    """What differs from rank to rank. `unknown` says why ranks could not be compared, one reason for each."""

    verdicts: tuple[Verdict, ...] = ()
    unknown: tuple[str, ...] = ()


def compare_ranks(recordings: Sequence[Recording]) -> RanksCompared:
    """Where the graphs of a rank first differ from those of rank 0; `recordings` has one for each rank."""
    verdicts: list[Verdict] = []
    unknown: list[str] = []
    first, *others = recordings
    for rank, other in enumerate(others, 1):
        number = _first_difference(first.graphs, other.graphs)
        if number is None or not _matters(number, first.graphs, other.graphs):
            continue
        if _restores(first.graphs) != _restores(other.graphs):
            unknown.append(
                f"rank {rank} cannot be compared: only one of the two ranks goes on from a checkpoint; "
                "remove the checkpoints that earlier runs have left"
            )
        else:
            verdicts.append(_verdict(number, rank, first.graphs, other.graphs))
    return RanksCompared(tuple(verdicts), tuple(unknown))


def _first_difference(one: Sequence[DeviceGraph], other: Sequence[DeviceGraph]) -> int | None:
    for number, (left, right) in enumerate(zip_longest(one, other)):
        if left is None or right is None or left.structure != right.structure:
            return number
    return None


def _matters(number: int, *ranks: Sequence[DeviceGraph]) -> bool:
    """Whether the ranks wait for each other in a graph that comes then or later."""
    return any(graph.collective for graphs in ranks for graph in graphs[number:])


def _restores(graphs: Sequence[DeviceGraph]) -> bool:
    return any(graph.restores for graph in graphs)


def _verdict(number: int, rank: int, first: Sequence[DeviceGraph], other: Sequence[DeviceGraph]) -> Verdict:
    """The verdict on the graphs of rank 0 and of `rank` that come as `number` (0-based)."""
    sides = ((0, first), (rank, other))
    for (own, graphs), (against, others) in (sides, sides[::-1]):
        if _is_left_out(number, graphs, others):
            graph = graphs[number]
            arguments = {"rank": own, "other": against, "number": number + 1, "wanted": list(graph.wanted)}
            return Verdict("NPU804", "missing-graph", Severity.WARNING, arguments, graph.place, run=graph.run)
    expected, found = first[number], other[number]
    return Verdict(
        "NPU804",
        "other-graph",
        Severity.WARNING,
        {
            "rank": rank,
            "other": 0,
            "number": number + 1,
            "wanted": list(found.wanted),
            "expected": list(expected.wanted),
        },
        found.place,
        () if expected.place is None else (Line(expected.place.path, expected.place.line),),
        found.run,
    )


def _is_left_out(number: int, graphs: Sequence[DeviceGraph], others: Sequence[DeviceGraph]) -> bool:
    """Whether `graphs` has one that `others` go on without."""
    if len(graphs) <= number:
        return False
    if len(others) <= number:
        return True
    if any(other.structure == graphs[number].structure for other in others[number:]):
        return False
    return len(graphs) > number + 1 and graphs[number + 1].structure == others[number].structure


def joined(recordings: Sequence[Recording], verdicts: Sequence[Verdict]) -> Recording:
    """One recording of all ranks and the `verdicts` on them together. It ends as the worst of them did."""
    worst = max(recordings, key=lambda one: _ENDINGS.index(one.status))
    return replace(
        worst,
        on_npu=any(one.on_npu for one in recordings),
        runs=sum(one.runs for one in recordings),
        verdicts=(*(verdict for one in recordings for verdict in one.verdicts), *verdicts),
        mishaps=tuple(text for one in recordings for text in one.mishaps),
    )


def with_places_in(folder: str, own: str, recording: Recording) -> Recording:
    """`recording` of a rank that ran in the copy `own`, as if it had run in the copy `folder`."""

    def in_folder(line: Line) -> Line:
        return replace(line, path=moved(line.path, own, folder))

    def maybe(line: Line | None) -> Line | None:
        return None if line is None else in_folder(line)

    return replace(
        recording,
        verdicts=tuple(
            replace(one, place=maybe(one.place), related=tuple(map(in_folder, one.related)))
            for one in recording.verdicts
        ),
        graphs=tuple(replace(one, place=maybe(one.place)) for one in recording.graphs),
    )
