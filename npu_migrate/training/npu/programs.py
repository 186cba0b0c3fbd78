"""Which programs run on the NPU."""

from __future__ import annotations

from npu_migrate.index.facts import FileFacts
from npu_migrate.project.once import once, once_per_file
from npu_migrate.project.project import Project
from npu_migrate.training.npu.configs import entries

_PACKAGES = frozenset({"npu_bridge", "npu_device", "mx_rec"})


def programs_with_npu(project: Project, key: str) -> tuple[str, ...]:
    """The programs of a file that run on the NPU, in order.

    Those are the programs in which some file imports npu_bridge, npu_device or Rec SDK, or puts the
    NpuOptimizer into a session config.
    """
    return tuple(program for program in project.programs_of(key) if _runs_on_npu(project, program))


def some_program_with_npu(project: Project) -> bool:
    """Whether any program runs on the NPU: without one there is no need to look at any."""
    return bool(_npu_files(project))


def loads_adapter(project: Project, program: str) -> bool:
    """Whether some file of a program imports npu_bridge or npu_device, which load the NPU's adapter."""
    files = project.programs.by_entry[program].files
    return not files.isdisjoint(_importing_files(project))


def _runs_on_npu(project: Project, program: str) -> bool:
    files = project.programs.by_entry[program].files
    return not files.isdisjoint(_npu_files(project))


@once
def _npu_files(project: Project) -> frozenset[str]:
    return _importing_files(project) | {entry.added.key for entry in entries(project)}


@once
def _importing_files(project: Project) -> frozenset[str]:
    return frozenset(facts.key for facts in project.relevant() if _imports_npu(project, facts))


@once_per_file
def _imports_npu(facts: FileFacts) -> bool:
    return any(
        target.level == 0 and target.module.partition(".")[0] in _PACKAGES
        for target in facts.import_targets()
    )
