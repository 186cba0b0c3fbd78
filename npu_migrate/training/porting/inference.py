"""Sessions that restore what was trained elsewhere, and only predict."""

from __future__ import annotations

from npu_migrate.index.facts import Call, last_name
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.semantics.flow import externals_called
from npu_migrate.semantics.uses import uses
from npu_migrate.training.porting.configured import has_entry
from npu_migrate.training.porting.runners import Runner, runners, sessions_made
from npu_migrate.training.porting.staying import stays
from npu_migrate.training.porting.trains import INITIALIZERS, fetched_by, initializes, trains, trains_somehow

_RESTORING = (
    "tensorflow.train.Saver.restore",
    "tensorflow.saved_model.load",
    "tensorflow.saved_model.loader.load",
)
_EXPORTING = ("convert_variables_to_constants", "simple_save", "SavedModelBuilder", "freeze_graph")


@once
def inference_sessions(project: Project) -> tuple[Runner, ...]:
    """The sessions that are given to a restore, in programs that neither train nor export."""
    return tuple(one for one in runners(project) if _only_predicts(project, one))


def _only_predicts(project: Project, runner: Runner) -> bool:
    if runner.given is not None and has_entry(project, runner.given):
        return False
    near = project.neighbours(runner.call.key)
    if any(key in near for name in _EXPORTING for key, _ in project.calls_named(name)):
        return False
    if stays(project, runner) or not _restores(project, runner) or trains(project, runner):
        return False
    if any(trains_somehow(project, program) for program in project.programs_of(runner.call.key)):
        return False
    # What is restored needs no first values: perhaps it is trained after all. Asked last, as it costs most.
    return not _may_initialize(project, runner)


def _may_initialize(project: Project, runner: Runner) -> bool:
    """Whether a session gives variables first values; where its runs are not all seen, its file does."""
    if not any(initializes(project, key) for key in project.neighbours(runner.call.key)):
        return False
    fetched = fetched_by(project, runner)
    if not fetched.complete:
        return initializes(project, runner.call.key)
    return any(
        isinstance(one.expr, Call) and last_name(one.expr.func) in INITIALIZERS for one in fetched.calls
    )


def _restores(project: Project, runner: Runner) -> bool:
    return any(
        use.kind == "argument"
        and isinstance(use.ref.expr, Call)
        and externals_called(project, use.ref).intersection(_RESTORING)
        for made in sessions_made(project, runner)
        for use in uses(project, made)
    )
