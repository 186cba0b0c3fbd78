"""What is told of a graph that goes to the device, so that the graphs of several ranks can be compared."""

from __future__ import annotations

import collections
import hashlib
import os
import sys
from types import FrameType
from typing import Any

from ..graphs.operations import VARIABLES
from ..graphs.pruning import needed
from ..judging.seen import Seen
from ..places import Places

_READS = frozenset([*VARIABLES, "ReadVariableOp", "Identity", "Const", "NoOp", "IsVariableInitialized"])
"""The types of what only reads variables."""

_STEP_READS = "global_step_read_op_cache"
"""The collection of what TensorFlow's own hooks read the step with, beside what the script fetches."""

_SAVES = ("SaveV2", "Save", "SaveSlices")
_KEEPERS = tuple(
    os.path.join("python", "training", name)
    for name in ("basic_session_run_hooks.py", "saver.py", "supervisor.py")
)
"""The modules of TensorFlow that save; its package is called otherwise in each version."""


def graph_on_device(seen: Seen) -> dict[str, Any]:
    """The graph of a run, in the types of JSON.

    Graphs of the same `structure` hold the same operations, whatever they are called, but for reads of
    variables. `collective` tells whether the ranks wait for each other in it, `restores` whether it reads a
    checkpoint.
    """
    operations = _besides_reads(seen) or seen.pruned.operations
    counted = collections.Counter(operation.type for operation in operations)
    structure = " ".join(f"{name}:{times}" for name, times in sorted(counted.items()))
    wanted = seen.pruned.wanted
    return {
        "structure": hashlib.sha256(structure.encode()).hexdigest()[:16],
        "wanted": [one.name for one in (*wanted.fetches, *wanted.targets)][:4],
        "collective": any(operation in seen.pruned for operation in seen.marks.collectives),
        "restores": bool(seen.pruned.of("RestoreV2", "Restore")),
    }


def keeps_checkpoints(seen: Seen) -> bool:
    """Whether the run that is going on saves a checkpoint, or reads the step for one.

    The vendor's own recipe lets one rank alone save (`OPS:save_checkpoint_on_particular_device`), so such a
    graph makes no rank differ.
    """
    if seen.pruned.of(*_SAVES):
        return True
    return not _besides_reads(seen) and _is_called_by_a_keeper(seen.places)


def _besides_reads(seen: Seen) -> list[Any]:
    """The operations that do more than to read variables or the step."""
    step = frozenset(needed(tensor.op for tensor in seen.session.graph.get_collection(_STEP_READS)))
    return [one for one in seen.pruned.operations if one.type not in _READS and one not in step]


def _is_called_by_a_keeper(places: Places) -> bool:
    """Whether TensorFlow itself runs this, in a hook or in `Saver.save`, and not the script."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if places.own(name) is not None:
            return False
        if name.endswith(_KEEPERS):
            return True
        frame = frame.f_back
    return False
