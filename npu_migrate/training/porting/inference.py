"""Sessions that restore what was trained elsewhere, and only predict."""

from __future__ import annotations

from npu_migrate.index.facts import Attribute, Call, Name, last_name, walk
from npu_migrate.index.names import code_scope, enclosing_function
from npu_migrate.knowledge.tensorflow import EXPORTING
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.resolution import Definition
from npu_migrate.training.pipelines.input_functions import is_given_to_predict_only
from npu_migrate.training.porting.configured import has_entry
from npu_migrate.training.porting.session_openings import (
    SessionOpening,
    is_restored,
    session_openings,
)
from npu_migrate.training.porting.staying.sessions import stays
from npu_migrate.training.porting.trains import (
    INITIALIZERS,
    fetched_by,
    initializes,
    may_run_ops,
    program_trains,
    trains,
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
    around = {code_scope(facts, ref.scope), enclosing_function(facts, ref.scope)}
    if any(one and is_given_to_predict_only(project, Definition(ref.key, one)) for one in sorted(around)):
        return True
    near = project.neighbours(ref.key)
    if not any(one.call.key in near and _only_predicts(project, one) for one in session_openings(project)):
        return False
    return not any(program_trains(project, program) for program in project.programs_of(ref.key))


@once
def _only_predicts(project: Project, opening: SessionOpening) -> bool:
    """Whether a session is given to a restore and runs ops, in programs that neither train nor export."""
    near = project.neighbours(opening.call.key)
    if any(key in near for name in EXPORTING for key, _ in project.calls_named(name)):
        return False
    if stays(project, opening) or not is_restored(project, opening) or trains(project, opening):
        return False
    if any(program_trains(project, program) for program in project.programs_of(opening.call.key)):
        return False
    if not may_run_ops(project, opening):
        return False  # it writes what it has restored to another checkpoint
    if _runs_what_is_called_training(project, opening):
        return False
    # What is restored needs no first values: perhaps it is trained after all. Asked last, as it costs most.
    return not _may_initialize(project, opening)


def _runs_what_is_called_training(project: Project, opening: SessionOpening) -> bool:
    """Whether something that a session runs has a name of training, such as ``self._train_op``.

    Libraries make ops that train without an optimizer.
    """
    return any(
        "train" in (last_name(part) or "").lower()
        for one in fetched_by(project, opening).fetchings
        for part in walk(one.fetches.ref.expr)
        if isinstance(part, (Name, Attribute))
    )


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
