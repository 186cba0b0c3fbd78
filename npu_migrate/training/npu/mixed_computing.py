"""Whether a program runs in mixed computing, where ops that are not supported stay on the host (DOC-MIXC)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from npu_migrate.knowledge import npu
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.values.evidence import evidence
from npu_migrate.semantics.values.value import UNKNOWN, Value, constant, join
from npu_migrate.training.npu.configs import (
    ParameterWrite,
    entries,
    parameter_writes,
    run_config_setting,
    run_configs,
    stray_writes,
)


@once
def mixed_computing(project: Project, program: str) -> Value:
    """All values of ``mix_compile_mode`` in the configs of a program; False where none sets it."""
    return join(tuple(_values(project, program)) or (constant(False),))


def _values(project: Project, program: str) -> Iterator[Value]:
    files = project.programs.by_entry[program].files
    if any(_sets_it(write) for write in stray_writes(project, program)):
        yield UNKNOWN
    for entry in entries(project):
        for write in parameter_writes(project, entry) if entry.added.key in files else ():
            if _sets_it(write):
                is_plain = write.key is not None and write.field == "b" and write.value is not None
                yield evidence(project, cast(Ref, write.value), program) if is_plain else UNKNOWN
    for call in run_configs(project):
        setting = run_config_setting(project, call, npu.MIX_COMPILE_MODE, program)
        if call.key in files and setting is not None:
            yield setting.value


def _sets_it(write: ParameterWrite) -> bool:
    return write.key in (None, npu.MIX_COMPILE_MODE)
