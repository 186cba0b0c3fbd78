"""Which loop on the device belongs to which session config."""

from __future__ import annotations

from npu_migrate.project.project import Project
from npu_migrate.training.npu.config_reach import readers_of
from npu_migrate.training.npu.device_loop import LoopPart, loop_parts, sessions_created
from npu_migrate.training.npu.offload import Offload, training_hooks


def linked_parts(project: Project, offload: Offload) -> tuple[LoopPart, ...]:
    """The parts of loops that are known to run in a session with the config, or in an Estimator's."""
    if offload.entry is None:
        return ()
    sessions = {id(reader.ref.expr) for reader in readers_of(project, offload.objects)}
    hooks = {id(hook.expr) for hook in training_hooks(project, offload)}
    return tuple(
        part
        for part in loop_parts(project)
        if id(part.call.expr) in hooks
        or (
            part.session is not None
            and any(id(made.expr) in sessions for made in sessions_created(project, part.session))
        )
    )
