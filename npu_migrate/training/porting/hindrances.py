"""What a program needs besides an NpuOptimizer entry before it runs on the NPU as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.semantics.dead_code import is_dead
from npu_migrate.training.porting.features.distributed.distribution import (
    parameter_servers,
    strategies,
    towers,
)
from npu_migrate.training.porting.features.distributed.horovod import (
    BROADCAST,
    COLLECTIVE,
    INIT,
    OPTIMIZER,
    RANK,
    horovod_uses,
)
from npu_migrate.training.porting.features.distributed.horovod_calls import unseen_horovod
from npu_migrate.training.porting.features.libraries import gpu_libraries
from npu_migrate.training.porting.features.operators import cudnn_layers
from npu_migrate.training.porting.features.probes import probes
from npu_migrate.training.porting.keras import keras_trainings

HOROVOD_CODES = {
    INIT: "NPU711",
    RANK: "NPU712",
    OPTIMIZER: "NPU713",
    BROADCAST: "NPU714",
    COLLECTIVE: "NPU715",
}
"""The rule for each kind of Horovod's functions."""


@once
def hindrances(project: Project, program: str) -> tuple[str, ...]:
    """The codes, in order, of the rules that find something in a program that an entry does not mend."""
    files = project.programs.by_entry[program].files
    return tuple(sorted({code for code, keys in _found(project) if not files.isdisjoint(keys)}))


def _found(project: Project) -> Iterator[tuple[str, Iterable[str]]]:
    """Each of these codes with the files that it concerns; code that is never run needs nothing."""
    found = {
        "NPU707": [one.call for one in keras_trainings(project) if one.native],
        "NPU716": [one.ref for one in strategies(project)],
        "NPU717": [one.ref for one in towers(project)],
        "NPU718": [one.ref for one in parameter_servers(project)],
        "NPU723": [one.ref for one in cudnn_layers(project)],
        "NPU734": [one.ref for one in probes(project) if one.answer == "raises"],
    }
    for code, refs in found.items():
        yield code, [ref.key for ref in refs if not is_dead(project, ref)]
    for use in horovod_uses(project):
        yield HOROVOD_CODES[use.kind], [use.ref.key]
    yield HOROVOD_CODES[INIT], [ref.key for ref in unseen_horovod(project)]
    yield "NPU735", [one.place.path for one in gpu_libraries(project)]
