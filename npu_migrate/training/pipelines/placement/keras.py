"""Initialization in the session of Keras, which runs no table initializers before it trains [TF]."""

from __future__ import annotations

from npu_migrate.findings import Applicability
from npu_migrate.index.facts import Attribute, Call, FileFacts
from npu_migrate.index.names import ancestors
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.flow import externals_called, origins
from npu_migrate.semantics.uses import uses
from npu_migrate.training.pipelines.owners import Owners
from npu_migrate.training.pipelines.placement.spelling import tensorflow_spelling
from npu_migrate.training.pipelines.placement.spot import Plan, Spot, after_creation, insert_at, run_code

_RUNS = ("fit", "fit_generator", "evaluate", "predict", "train_on_batch", "test_on_batch", "predict_on_batch")
_DATA = frozenset({"0", "x", "generator", "validation_data"})
"""The arguments of these for the data."""

_SESSION_CHANGES = ("set_session", "clear_session", "set_keras_session_npu_config")
_KERAS = (".keras.", "keras.")


def plan_in_keras(spot: Spot, owners: Owners) -> Plan | None:
    """``tf.keras.backend.get_session().run(iterator.initializer)``, where only Keras runs the pipeline.

    Before the first call of the same function that trains or evaluates; in programs that never change the
    session of Keras else right behind the creation. None for all other programs.
    """
    if owners.found:
        return None
    trained = _model_runs(spot.project)
    programs = set(spot.project.programs_of(spot.facts.key))
    here = [ref for ref in trained if programs.intersection(spot.project.programs_of(ref.key))]
    spelling = tensorflow_spelling(spot.project, spot.facts, spot.creation.ref.scope)
    if not here or spelling is None:
        return None
    code = run_code(spot, f"{spelling}.keras.backend.get_session()")
    beside = [ref for ref in here if ref.key == spot.facts.key and _scope(spot, ref) == spot.scope]
    later = sorted(ref.statement for ref in beside if ref.statement > spot.statement.id)
    if later:
        first = _outermost(spot.facts, later[0], spot.statement.parent)
        if first is None:
            return None
        before = insert_at(spot.facts, (first, "before"), code, spot.rank)
        return Plan((*after_creation(spot, ()), before), Applicability.SAFE)
    near = spot.project.neighbours(spot.facts.key)
    changes = (key for name in _SESSION_CHANGES for key, _ in spot.project.calls_named(name))
    if not near.isdisjoint(changes):
        return None
    return Plan(after_creation(spot, (code,)), Applicability.SAFE)


def runs_in_keras(project: Project, key: str) -> bool:
    """Whether a program of the file trains or evaluates a Keras model."""
    programs = set(project.programs_of(key))
    return any(programs.intersection(project.programs_of(ref.key)) for ref in _model_runs(project))


def is_given_to_model(project: Project, iterator: Ref) -> bool:
    """Whether a Keras model is trained or evaluated on an iterator itself, and not on what it gives.

    TensorFlow 1.15 takes only the dataset there, and makes and initializes the iterator [TF].
    """
    if not project.files_mentioning("keras"):
        return False
    runs = {id(ref.expr) for ref in _model_runs(project)}
    return any(
        use.kind == "argument" and use.name in _DATA and id(use.ref.expr) in runs
        for use in (uses(project, iterator) if runs else ())
    )


def _scope(spot: Spot, ref: Ref) -> int:
    return spot.facts.statements[ref.statement].scope


def _outermost(facts: FileFacts, statement: int, block: int) -> int | None:
    """The statement of the block around the creation that holds `statement`; None if there is none."""
    for number in (statement, *ancestors(facts, statement)):
        if facts.statements[number].parent == block:
            return number
    return None


@once
def _model_runs(project: Project) -> tuple[Ref, ...]:
    """The calls that train or evaluate a Keras model."""
    return tuple(
        ref
        for name in _RUNS
        for key, site in project.calls_named(name)
        for ref in [ref_of_call(key, site)]
        if _is_of_model(project, ref)
    )


def _is_of_model(project: Project, ref: Ref) -> bool:
    call = ref.expr
    if not isinstance(call, Call) or not isinstance(call.func, Attribute):
        return False
    if any(part in name for name in externals_called(project, ref) for part in _KERAS):
        return True
    receiver = ref._replace(expr=call.func.value, path=())
    return any(
        part in name
        for origin in origins(project, receiver)
        if isinstance(origin.expr, Call)
        for name in externals_called(project, origin)
        for part in _KERAS
    )
