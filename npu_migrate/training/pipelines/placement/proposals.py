"""Plans for iterators for which no plan is certain: only an abstract run can tell whether one is right.

They rest on less evidence than other plans, on purpose. Each is offered alone, and dropped unless it is
borne out on every path of every program.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Applicability
from npu_migrate.index.facts import FileFacts
from npu_migrate.index.names import code_scope
from npu_migrate.intents import Intent
from npu_migrate.semantics.function_calls import all_calls_of
from npu_migrate.semantics.resolution import Definition
from npu_migrate.training.pipelines.order import Point, insertion_point
from npu_migrate.training.pipelines.owners import Owners
from npu_migrate.training.pipelines.placement.registered import registration, steps_where_sessions_open
from npu_migrate.training.pipelines.placement.spelling import tensorflow_spelling
from npu_migrate.training.pipelines.placement.spot import (
    Plan,
    Spot,
    after_creation,
    default_session,
    insert_at,
    run_code,
)
from npu_migrate.training.pipelines.received_sessions import received_sessions
from npu_migrate.training.pipelines.sessions import Session

_LEAVES = ("Return", "Raise", "Yield")
_MOST_CALLERS = 20


def proposals(spot: Spot, owners: Owners) -> Iterator[Plan]:
    """Plans to be tried one after the other, the one that a person would like best first."""
    line = registration(spot)
    spelling = tensorflow_spelling(spot.project, spot.facts, spot.creation.ref.scope)
    if line is None or spelling is None or spot.facts.key in spot.project.programs.ambiguous:
        return
    registered = after_creation(spot, (line,))
    yield Plan(registered, Applicability.SAFE)
    opening = steps_where_sessions_open(spot, owners)
    if opening:
        yield Plan((*registered, *opening), Applicability.SAFE)
    for session in received_sessions(spot.project, spot.facts.key, spot.scope)[:2]:
        yield Plan(after_creation(spot, (run_code(spot, session.text or ""),)), Applicability.SAFE)
    for some in (slice(None), slice(1), slice(-1, None)):
        steps = _behind_the_callers(spot, some)
        if steps:
            yield Plan((*registered, *steps), Applicability.SAFE)
    if spot.scope != 0:
        for text in (default_session(spot), f"{spelling}.keras.backend.get_session()"):
            yield Plan(after_creation(spot, (run_code(spot, text),)), Applicability.SAFE)


def _behind_the_callers(spot: Spot, some: slice) -> tuple[Intent, ...] | None:
    """``sess.run(tf.tables_initializer())`` where each statement that has the pipeline built is done.

    That is in the nearest code that has a session, or gets one later; None if some code has none. It is
    done for `some` of the sessions.
    """
    project = spot.project
    steps: dict[tuple[str, int, str], Intent] = {}
    waiting = [(spot.facts.key, spot.scope, spot.statement.id)]
    seen = set(waiting)
    while waiting:
        key, scope, statement = waiting.pop()
        facts = project.facts(key)
        if facts is None or len(seen) > _MOST_CALLERS or key in project.programs.ambiguous:
            return None
        sessions = received_sessions(project, key, scope)
        if sessions and facts.statements[statement].kind not in _LEAVES:
            spelling = tensorflow_spelling(project, facts, scope)
            if spelling is None:
                return None
            for session in sessions[some]:
                code = f"{session.text}.run({spelling}.tables_initializer())"
                point = _point(spot, facts, session, statement)
                steps[key, point[0], code] = insert_at(facts, point, code, 0)
            continue
        calls = all_calls_of(project, Definition(key, scope)) if scope != 0 else ()
        if not calls:
            return None
        for call in calls:
            home = project.facts(call.key)
            assert home is not None
            caller = (call.key, code_scope(home, call.scope), call.statement)
            if caller not in seen:
                seen.add(caller)
                waiting.append(caller)
    return tuple(steps.values())


def _point(spot: Spot, facts: FileFacts, session: Session, statement: int) -> Point:
    """Behind the statement, or where the session is ready, if that is later."""
    if session.opened <= statement:
        return statement, "after"
    return insertion_point(spot.project, facts, session, statement) or (session.opened, "after")
