"""Plans for iterators for which no plan is certain: only an abstract run can tell whether one is right.

They rest on less evidence than other plans, on purpose. Each is offered alone, and dropped unless it is
borne out on every path of every program.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from npu_migrate.findings import Applicability
from npu_migrate.index.facts import FileFacts
from npu_migrate.index.names import code_scope
from npu_migrate.intents import BindExpression, InsertStatement, Intent
from npu_migrate.project.project import Project
from npu_migrate.semantics.calls.function_calls import all_calls_of
from npu_migrate.semantics.resolution import Definition
from npu_migrate.training.pipelines.iterators import Creation
from npu_migrate.training.pipelines.order import Point, insertion_point, tables_run_after
from npu_migrate.training.pipelines.owners import Owners, owners_of
from npu_migrate.training.pipelines.placement.by_helper import made_by_helper, spot_of_helper
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
from npu_migrate.training.pipelines.received_sessions import received_sessions, session_getters
from npu_migrate.training.pipelines.sessions import Session

_LEAVES = ("Return", "Raise", "Yield")
_MOST_CALLERS = 20
_TABLES = ("TABLE_INITIALIZERS", "tables_initializer")
OWN_COLLECTION = '"iterator_initializers"'
"""The name of a collection, as it is written into scripts that run the usual one at times of their own."""


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
    for getter in session_getters(spot.project, spot.facts.key, spot.scope)[:2]:
        yield Plan(after_creation(spot, (run_code(spot, getter),)), Applicability.SAFE)
    for some in (slice(None), slice(1), slice(-1, None)):
        steps = _behind_the_callers(spot, some)
        if steps is not None:
            yield Plan((*registered, *steps), Applicability.SAFE)
    if opening and _runs_tables_itself(spot):
        yield Plan(tuple(map(_in_own_collection, (*registered, *opening))), Applicability.SAFE)
    if spot.scope != 0:
        for text in (default_session(spot), f"{spelling}.keras.backend.get_session()"):
            yield Plan(after_creation(spot, (run_code(spot, text),)), Applicability.SAFE)


def _runs_tables_itself(spot: Spot) -> bool:
    """Whether a program of the pipeline names the collection of table initializers, or what runs it."""
    near = spot.project.neighbours(spot.facts.key)
    return any(key in near for word in _TABLES for key in spot.project.files_mentioning(word))


def _in_own_collection(intent: Intent) -> Intent:
    """The same with a collection that nobody else runs."""
    if isinstance(intent, InsertStatement):
        return replace(intent, code=_with_own_collection(intent.code))
    if isinstance(intent, BindExpression):
        return replace(intent, then=tuple(map(_with_own_collection, intent.then)))
    return intent


def _with_own_collection(code: str) -> str:
    code = re.sub(r"[\w.]+\.GraphKeys\.TABLE_INITIALIZERS", OWN_COLLECTION, code)
    return re.sub(r"\btables_initializer\(\)", f"get_collection({OWN_COLLECTION})", code)


def proposals_by_helper(project: Project, creation: Creation, fresh: str) -> Iterator[Plan]:
    """Plans to be tried for an iterator that can get no name: a function makes it and registers it."""
    made = made_by_helper(project, creation)
    if made is None or creation.ref.key in project.programs.ambiguous:
        return
    spot = spot_of_helper(project, creation, fresh)
    yield Plan(made, Applicability.SAFE, by_helper=True)
    owners = owners_of(project, spot.facts.key, spot.scope, spot.statement.id)
    opening = tuple(steps_where_sessions_open(spot, owners))
    if opening:
        yield Plan((*made, *opening), Applicability.SAFE, by_helper=True)
    for some in (slice(None), slice(1), slice(-1, None)):
        steps = _behind_the_callers(spot, some)
        if steps is not None:
            yield Plan((*made, *steps), Applicability.SAFE, by_helper=True)


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
                if tables_run_after(project, facts, session, statement):
                    continue
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
