"""Sessions that restore what was trained elsewhere, and only predict."""

from __future__ import annotations

from npu_migrate.index.facts import Call, last_name
from npu_migrate.index.names import enclosing_function
from npu_migrate.knowledge.tensorflow import EXPORTING
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import externals_called
from npu_migrate.semantics.resolution import Definition
from npu_migrate.semantics.uses import uses
from npu_migrate.training.pipelines.input_functions import is_given_to_predict_only
from npu_migrate.training.porting.configured import has_entry
from npu_migrate.training.porting.session_openings import SessionOpening, session_openings, sessions_made
from npu_migrate.training.porting.staying.sessions import stays
from npu_migrate.training.porting.trains import INITIALIZERS, fetched_by, initializes, trains, trains_somehow

_RESTORING = (
    "tensorflow.train.Saver.restore",
    "tensorflow.saved_model.load",
    "tensorflow.saved_model.loader.load",
)


@once
def inference_sessions(project: Project) -> tuple[SessionOpening, ...]:
    """The sessions without an NpuOptimizer entry that only predict."""
    return tuple(
        one
        for one in session_openings(project)
        if not (one.given is not None and has_entry(project, one.given)) and _only_predicts(project, one)
    )


def is_for_prediction(project: Project, ref: Ref) -> bool:
    """Whether the code at `ref` serves predictions only, by a session or by an Estimator."""
    facts = project.facts(ref.key)
    assert facts is not None
    function = Definition(ref.key, enclosing_function(facts, ref.scope))
    if function.scope and is_given_to_predict_only(project, function):
        return True
    programs = project.programs_of(ref.key)
    if any(trains_somehow(project, program) for program in programs):
        return False
    near = project.neighbours(ref.key)
    return any(one.call.key in near and _only_predicts(project, one) for one in session_openings(project))


@once
def _only_predicts(project: Project, opening: SessionOpening) -> bool:
    """Whether a session is given to a restore, in programs that neither train nor export."""
    near = project.neighbours(opening.call.key)
    if any(key in near for name in EXPORTING for key, _ in project.calls_named(name)):
        return False
    if stays(project, opening) or not _restores(project, opening) or trains(project, opening):
        return False
    if any(trains_somehow(project, program) for program in project.programs_of(opening.call.key)):
        return False
    # What is restored needs no first values: perhaps it is trained after all. Asked last, as it costs most.
    return not _may_initialize(project, opening)


def _may_initialize(project: Project, opening: SessionOpening) -> bool:
    """Whether a session gives variables first values; where its runs are not all seen, its file does."""
    if not any(initializes(project, key) for key in project.neighbours(opening.call.key)):
        return False
    fetched = fetched_by(project, opening)
    if not fetched.complete:
        return initializes(project, opening.call.key)
    return any(
        isinstance(one.expr, Call) and last_name(one.expr.func) in INITIALIZERS for one in fetched.calls
    )


def _restores(project: Project, opening: SessionOpening) -> bool:
    return any(
        use.kind == "argument"
        and isinstance(use.ref.expr, Call)
        and externals_called(project, use.ref).intersection(_RESTORING)
        for made in sessions_made(project, opening)
        for use in uses(project, made)
    )
