"""What a managed session needs so that its local init op initializes registered iterators, and nothing else.

TensorFlow's default local init op runs local variables and registered tables together. That is right on the
NPU as long as every local variable starts at 0 [TF].
"""

from __future__ import annotations

from npu_migrate.index.facts import NOTHING
from npu_migrate.intents import Intent, WrapExpression
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import origins
from npu_migrate.training.pipelines.local_init import (
    is_none,
    local_init_ops,
    names_local_init_collection,
    sessions_with,
)
from npu_migrate.training.pipelines.order import insertion_point
from npu_migrate.training.pipelines.partition.executions import receiver_of, runs
from npu_migrate.training.pipelines.partition.initial_zeros import Start, local_start
from npu_migrate.training.pipelines.partition.joined import assigning
from npu_migrate.training.pipelines.partition.op_parts import Kind, alternatives
from npu_migrate.training.pipelines.placement.spelling import tensorflow_spelling
from npu_migrate.training.pipelines.placement.spot import insert_at
from npu_migrate.training.pipelines.placement.table_runs import collection_of
from npu_migrate.training.pipelines.sessions import Session, is_supervised


def local_init_steps(
    project: Project, session: Session | None, key: str, barrier: int
) -> list[Intent] | str | None:
    """What has to change so that a managed session (None: an Estimator) runs what is registered.

    `barrier` is a statement of the session's scope that has to come before. A word where an iterator would
    be initialized together with variables; None where the file cannot say what is needed.
    """
    if names_local_init_collection(project, key):
        return "local-init"
    ops = local_init_ops(project, session, key)
    if not ops and local_start(project, key) is not Start.ZERO:
        return "local-variables"
    steps: list[Intent] = []
    for op in ops:
        step = local_init_step(project, session, op, barrier)
        if step is None or isinstance(step, str):
            return step
        steps.extend(step)
    return steps


def local_init_step(
    project: Project, session: Session | None, op: Ref, barrier: int = NOTHING
) -> list[Intent] | str | None:
    """The same for one local init op of the program's own."""
    facts = project.facts(op.key)
    assert facts is not None
    has_tables = all(any(part.kind is Kind.TABLES for part in parts) for parts in alternatives(project, op))
    if assigns_only_zeros(project, op) and not is_none(op):
        spelling = tensorflow_spelling(project, facts, op.scope)
        if has_tables:
            return []
        if spelling is None:
            return None
        return [WrapExpression(op.place, f"{spelling}.group(", f", {spelling}.tables_initializer())")]
    if has_tables or session is None or not is_supervised(project, session):
        return "local-init"
    return run_in_session(project, session, barrier) or "local-init"


def assigns_only_zeros(project: Project, op: Ref) -> bool:
    """Whether a local init op initializes nothing but variables that start at 0, as far as can be seen."""
    return all(
        not any(assigning(project, op.key, parts, doubtful=True))
        and all(part.kind is not Kind.OTHER for part in parts)
        for parts in alternatives(project, op)
    )


def run_in_session(project: Project, session: Session, barrier: int) -> list[Intent]:
    """A run of all registered initializers, first thing in an open session; nothing where it has no name."""
    facts = project.facts(session.key)
    assert facts is not None
    spelling = tensorflow_spelling(project, facts, session.scope)
    point = insertion_point(project, facts, session, barrier)
    if spelling is None or point is None or session.text is None:
        return []
    code = f"{session.text}.run({collection_of(session.text, spelling)})"
    return [insert_at(facts, point, code, 0)]


def runs_collection(project: Project, call: Ref) -> bool:
    """Whether the program itself runs what is registered, in a session of the Supervisor made at `call`."""
    sessions = {session.created.expr for session in sessions_with(project, call)}
    for execution in runs(project):
        receiver = receiver_of(execution)
        if receiver is None or not any(origin.expr in sessions for origin in origins(project, receiver)):
            continue
        if any(part.kind is Kind.TABLES for parts in alternatives(project, execution.op) for part in parts):
            return True
    return False
