"""Initialization through the collection ``TABLE_INITIALIZERS``.

Managed sessions run that collection by themselves; a raw session runs ``tf.tables_initializer()`` [TF].
"""

from __future__ import annotations

from collections.abc import Iterable

from npu_migrate.findings import Applicability
from npu_migrate.index.facts import NOTHING, Attribute, Call
from npu_migrate.index.names import ancestors, names_in_use, spelled
from npu_migrate.intents import AddImport, BindExpression, InsertStatement, Intent
from npu_migrate.training.pipelines.order import insertion_point, is_open_at, tables_run_after
from npu_migrate.training.pipelines.owners import Owner, Owners
from npu_migrate.training.pipelines.partition.joined import has_unseen_tables, joined
from npu_migrate.training.pipelines.partition.op_parts import Kind
from npu_migrate.training.pipelines.placement.half_registered import is_registered
from npu_migrate.training.pipelines.placement.local_init_steps import local_init_steps
from npu_migrate.training.pipelines.placement.spelling import tensorflow_spelling
from npu_migrate.training.pipelines.placement.splitting import Split, split
from npu_migrate.training.pipelines.placement.spot import (
    Plan,
    Spot,
    after_creation,
    default_session,
    insert_at,
    iterator_text,
    manual,
    run_code,
)
from npu_migrate.training.pipelines.placement.table_runs import tables_in
from npu_migrate.training.pipelines.placement.timing import (
    built_too_late,
    inserted_at,
    places_of_runs,
    restarts,
    used_before,
)
from npu_migrate.training.pipelines.session_runs import initializer_runs, runs_of
from npu_migrate.training.pipelines.sessions import Session


def plan_registered(spot: Spot, owners: Owners) -> Plan:
    """Registers the initializer behind its creation, and gets the collection run in every owner's session.

    Unsafe where not every way to the pipeline leads to a session.
    """
    spelling = tensorflow_spelling(spot.project, spot.facts, spot.creation.ref.scope)
    intents: list[Intent] = []
    if spelling is None:
        spelling = "tf"
        if "tf" in names_in_use(spot.facts):
            return manual("module")
        intents.append(AddImport(spot.facts.key, "import tensorflow as tf"))
    line = _registration(spot, spelling)
    steps = _owner_steps(spot, owners)
    if isinstance(steps, str):
        return manual(steps)
    early, later = steps
    if not early:
        apart = _apart_from_variables(spot)
        if isinstance(apart, str):
            return manual(apart)
        if _runs_again(spot, later, apart):
            return manual("restart")
        later = [*later, *apart]
    lines = () if is_registered(spot.project, spot.creation) else (line,)
    intents.extend(after_creation(spot, early if early else lines))
    intents.extend(later)
    safe = owners.complete
    return Plan(tuple(intents), Applicability.SAFE if safe else Applicability.UNSAFE)


def registration(spot: Spot) -> str | None:
    """The statement that registers the initializer; None where the file has no name for TensorFlow."""
    spelling = tensorflow_spelling(spot.project, spot.facts, spot.creation.ref.scope)
    return None if spelling is None else _registration(spot, spelling)


def _registration(spot: Spot, spelling: str) -> str:
    key = f"{spelling}.GraphKeys.TABLE_INITIALIZERS"
    if spot.name is not None and spot.name.each:
        return (
            f"for {spot.fresh} in {spot.name.text}:\n"
            f"    {spelling}.add_to_collection({key}, {spot.fresh}.initializer)"
        )
    return f"{spelling}.add_to_collection({key}, {iterator_text(spot)}.initializer)"


def _owner_steps(spot: Spot, owners: Owners) -> tuple[tuple[str, ...], list[Intent]] | str:
    """What the sessions have to run besides; the first part replaces the registration. Else the obstacle."""
    at_once = [owner for owner in owners.found if _needed_at_once(spot, owner)]
    if at_once:
        if spot.scope == 0 or not all(_possible_at_once(spot, owner) for owner in owners.found):
            return "module"
        return (run_code(spot, default_session(spot)),), []
    steps = _later_steps(spot, owners)
    if isinstance(steps, str):
        return steps
    if owners.complete:
        for owner, step in steps:
            if restarts(spot, owner, step):
                return "restart"
        if built_too_late(
            spot, [mark for owner, step in steps for mark in places_of_runs(spot, owner, step)]
        ):
            return "late"
    return (), [intent for _, step in steps for intent in step]


def _later_steps(spot: Spot, owners: Owners) -> list[tuple[Owner, list[Intent]]] | str:
    """What each owner's session has to run, wherever that is; a word for an obstacle."""
    found = []
    for owner in owners.found:
        step = _owner_step(spot, owner)
        if step is None or isinstance(step, str):
            return step or "module"
        found.append((owner, step))
    return found


def steps_where_sessions_open(spot: Spot, owners: Owners) -> list[Intent]:
    """What the sessions have to run if the pipeline is there by then, which has not been looked at."""
    steps = _later_steps(spot, owners)
    return [] if isinstance(steps, str) else [intent for _, step in steps for intent in step]


def _apart_from_variables(spot: Spot) -> Split:
    """What runs tables together with variables, in the programs of the pipeline, runs them by themselves."""
    intents: list[Intent] = []
    for found in joined(spot.project, spot.facts.key, tables=True):
        if any(part.kind is Kind.TABLES for part in found.data):
            apart = split(spot.project, found)
            if isinstance(apart, str):
                return f"joined-{apart}"
            intents.extend(apart)
    if has_unseen_tables(spot.project, spot.facts.key):
        return "unseen-tables"
    return tuple(dict.fromkeys(intents))


def _runs_again(spot: Spot, steps: Iterable[Intent], apart: Iterable[Intent]) -> bool:
    """Whether one function would run the collection for the steps, and then again behind a run that has held
    it together with variables: what was read in between is lost."""
    return bool(_inserted(spot, steps) & _inserted(spot, apart))


def _inserted(spot: Spot, intents: Iterable[Intent]) -> set[tuple[str, int, str]]:
    """The statements that are put in, each with its file and the scope it gets into."""
    steps = [intent for intent in intents if isinstance(intent, InsertStatement)]
    marks = [inserted_at(spot.project, step) for step in steps]
    return {(mark.key, mark.scope, step.code) for mark, step in zip(marks, steps, strict=True)}


def _owner_step(spot: Spot, owner: Owner) -> list[Intent] | str | None:
    """What one owner's session has to run besides; a word for the obstacle, None for the usual one."""
    session = owner.session
    if owner.kind == "parameter":
        return _tables_for_parameter(spot, owner)
    if owner.kind == "unnamed" and session is not None:
        return _tables_in_unnamed(spot, session)
    if session is not None and session.kind != "managed":
        return _tables_in_session(spot, owner, session)
    return local_init_steps(spot.project, session, owner.key, owner.barrier)


def _possible_at_once(spot: Spot, owner: Owner) -> bool:
    """Whether the owner's session is the default one while the pipeline is built."""
    facts = spot.project.facts(owner.key)
    session = owner.session
    if facts is None or session is None or session.kind == "managed" or owner.barrier == NOTHING:
        return False
    return session.entered and is_open_at(facts, session, owner.barrier)


def _needed_at_once(spot: Spot, owner: Owner) -> bool:
    """Whether no statement behind the one that builds the pipeline can run its initializer.

    That is: while the session is open the pipeline is built again and again, built after the session has
    read from others, or built by the very statement that runs it or leaves.
    """
    session = owner.session
    if session is None or session.kind == "managed":
        return False
    facts = spot.project.facts(owner.key)
    assert facts is not None
    if owner.barrier == NOTHING or not is_open_at(facts, session, owner.barrier):
        return False
    loops = [number for number in ancestors(facts, owner.barrier) if number > session.opened]
    if any(facts.statements[number].kind in ("For", "While", "AsyncFor") for number in loops):
        return True
    statement = facts.statements[owner.barrier]
    if session.kind == "evaluate":
        return session.opened == owner.barrier
    if used_before(spot.project, facts, session, owner.barrier):
        return True
    return statement.kind in ("Return", "With") or runs_of(spot.project, facts, statement, session.text).uses


def _tables_in_session(spot: Spot, owner: Owner, session: Session) -> list[Intent] | None:
    facts = spot.project.facts(session.key)
    assert facts is not None
    if tables_run_after(spot.project, facts, session, owner.barrier):
        return []
    spelling = tensorflow_spelling(spot.project, facts, session.scope)
    intents: list[Intent] = []
    if spelling is None:
        if "tf" in names_in_use(facts):
            return None
        spelling = "tf"
        intents.append(AddImport(facts.key, "import tensorflow as tf"))
    point: tuple[int, str] | None = (owner.barrier, "after")
    if session.kind != "evaluate":
        point = insertion_point(spot.project, facts, session, owner.barrier)
    if point is None:
        return None
    elsewhere = _initialized_elsewhere(spot, owner, session, point)
    if elsewhere:
        return [*intents, *elsewhere]
    if session.text is None and session.of_test:
        code = f"self.evaluate({spelling}.tables_initializer())"
    else:
        text = session.text or f"{spelling}.get_default_session()"
        code = f"{text}.run({tables_in(spot.project, session, text, spelling)})"
    return [*intents, insert_at(facts, point, code, 0)]


def _tables_in_unnamed(spot: Spot, session: Session) -> list[Intent] | None:
    """The session gets a name, so that the table initializers can run before what it was opened for."""
    facts = spot.project.facts(session.key)
    assert facts is not None
    spelling = tensorflow_spelling(spot.project, facts, session.scope)
    used = names_in_use(facts)
    name = next((one for one in ("sess", "session", "opened_session") if one not in used), None)
    if spelling is None or name is None:
        return None
    code = f"{name}.run({tables_in(spot.project, session, name, spelling)})"
    return [BindExpression(session.created.place, name, (code,))]


def _initialized_elsewhere(
    spot: Spot, owner: Owner, session: Session, point: tuple[int, str]
) -> list[Intent]:
    """Table initializers next to variable initializers that another function runs in the session.

    Only where the function that opens the session runs none, and does not see the pipeline built.
    """
    if owner.barrier != NOTHING or point not in ((session.opened, "after"), (session.opened, "body-start")):
        return []
    steps: list[Intent] = []
    for run in initializer_runs(spot.project, session):
        if (run.key, run.scope) == (session.key, session.scope):
            return []
        facts = spot.project.facts(run.key)
        assert facts is not None and isinstance(run.expr, Call) and isinstance(run.expr.func, Attribute)
        spelling = tensorflow_spelling(spot.project, facts, run.scope)
        text = spelled(run.expr.func.value)
        if spelling is None or text is None:
            return []
        code = f"{text}.run({spelling}.tables_initializer())"
        steps.append(insert_at(facts, (run.statement, "after"), code, 0))
    return steps


def _tables_for_parameter(spot: Spot, owner: Owner) -> list[Intent] | None:
    """A session that a caller of the building function got as a parameter."""
    facts = spot.project.facts(owner.key)
    assert facts is not None
    spelling = tensorflow_spelling(spot.project, facts, owner.scope)
    if spelling is None or owner.barrier == NOTHING:
        return None
    return [
        insert_at(facts, (owner.barrier, "after"), f"{owner.text}.run({spelling}.tables_initializer())", 0)
    ]
