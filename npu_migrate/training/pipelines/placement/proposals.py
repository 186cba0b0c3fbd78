"""Plans for iterators for which no plan is certain: only an abstract run can tell whether one is right.

They rest on less evidence than other plans, on purpose. Each is offered alone, and dropped unless it is
borne out on every path of every program.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Applicability
from npu_migrate.index.names import code_scope
from npu_migrate.intents import Intent
from npu_migrate.semantics.function_calls import all_calls_of
from npu_migrate.semantics.resolution import Definition
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
    here = list(dict.fromkeys(received_sessions(spot.project, spot.facts.key, spot.scope)))
    for session in here[:2]:
        yield Plan(after_creation(spot, (run_code(spot, session),)), Applicability.SAFE)
    for choice in (0, -1):
        steps = _behind_the_callers(spot, choice)
        if steps:
            yield Plan((*registered, *steps), Applicability.SAFE)
    if spot.scope != 0:
        for session in (default_session(spot), f"{spelling}.keras.backend.get_session()"):
            yield Plan(after_creation(spot, (run_code(spot, session),)), Applicability.SAFE)


def _behind_the_callers(spot: Spot, choice: int) -> tuple[Intent, ...] | None:
    """``sess.run(tf.tables_initializer())`` behind each statement that has the pipeline built.

    That is where the nearest code that has a session calls for it; None if some code has none. Of several
    sessions it is the first, or the last.
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
            code = f"{sessions[choice]}.run({spelling}.tables_initializer())"
            steps[key, statement, code] = insert_at(facts, (statement, "after"), code, 0)
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
