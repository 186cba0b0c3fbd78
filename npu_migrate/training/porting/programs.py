"""Which programs run on the NPU, or will when they have been moved."""

from __future__ import annotations

from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.training.npu.programs import programs_with_npu
from npu_migrate.training.pipelines.reachability import is_reached
from npu_migrate.training.porting.estimators import estimators_to_move
from npu_migrate.training.porting.keras import trained_without_session
from npu_migrate.training.porting.movable import training_sessions
from npu_migrate.training.porting.session_openings import is_local
from npu_migrate.training.porting.to_move import ported_programs


def npu_programs_of(project: Project, key: str) -> tuple[str, ...]:
    """The programs of a file that run on the NPU, in order.

    Those are the programs in which some file imports npu_bridge, npu_device or Rec SDK, or puts the
    NpuOptimizer into a session config; with the setting ``port`` also those that will do so when they have
    been moved.
    """
    found = {*programs_with_npu(project, key)}
    if project.options.port:
        found.update(one for one in ported_programs(project, key) if _will_run_on_npu(project, one))
    return tuple(sorted(found))


@once
def _will_run_on_npu(project: Project, program: str) -> bool:
    files = project.programs.by_entry[program].files
    moved = (
        *(one.call for one in training_sessions(project) if is_local(project, one) is not False),
        *estimators_to_move(project),
        *trained_without_session(project),
    )
    return any(ref.key in files and is_reached(project, ref, program) for ref in moved)
