"""Which programs are to be moved to the NPU."""

from __future__ import annotations

from npu_migrate.project.project import Project
from npu_migrate.training.porting.configured import files_with_entries
from npu_migrate.training.porting.staying.hidden_gpus import hides_gpus


def moves_any(project: Project) -> bool:
    """Whether there may be such programs; without ``port`` this question costs next to nothing."""
    return project.options.port or bool(files_with_entries(project))


def ported_programs(project: Project, key: str) -> tuple[str, ...]:
    """The programs of a file that are to run on the NPU, in order.

    With the setting ``port`` that is every program that does not hide its GPUs; without it, those of which a
    part was moved: where a config has the NpuOptimizer entry already.
    """
    if not project.options.port:
        return tuple(one for one in project.programs_of(key) if _is_begun(project, one))
    return tuple(program for program in project.programs_of(key) if not hides_gpus(project, program))


def _is_begun(project: Project, program: str) -> bool:
    return not project.programs.by_entry[program].files.isdisjoint(files_with_entries(project))
