"""Training in modules that a program loads by a text that nobody sees: ``import_module(options.model)``."""

from __future__ import annotations

from npu_migrate.index.facts import Call, Constant
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import ref_of_call
from npu_migrate.training.porting.unrecognized.training_calls import TrainingCall, training_calls
from npu_migrate.training.porting.ways import IMPORTERS, may_run


def loaded_trainings(project: Project, program: str) -> list[TrainingCall]:
    """The places that train in modules that nobody imports, and that a program may load by a text."""
    if not loads_modules(project, program):
        return []
    files = project.programs.by_entry[program].files
    return [one._replace(plain=False) for one in _trainings_of_nobody(project) if one.ref.key not in files]


@once
def loads_modules(project: Project, program: str) -> bool:
    """Whether a program imports a module of which nobody sees the name."""
    files = project.programs.by_entry[program].files
    return any(
        key in files
        and bool(site.call.args)
        and not isinstance(site.call.args[0], Constant)
        and may_run(project, ref_of_call(key, site), program)
        for name in IMPORTERS
        for key, site in project.calls_named(name)
    )


@once
def _trainings_of_nobody(project: Project) -> tuple[TrainingCall, ...]:
    """The places that train in programs that begin with a module that is no script, and do not get there."""
    surveys = project.programs.imports.surveys
    return tuple(
        one
        for one in training_calls(project)
        if isinstance(one.ref.expr, Call)
        and not any(
            surveys[program].script or may_run(project, one.ref, program)
            for program in project.programs_of(one.ref.key)
        )
    )
