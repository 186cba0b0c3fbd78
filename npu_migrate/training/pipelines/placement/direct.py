"""Initialization where the iterator and its session can both be read: ``sess.run(iterator.initializer)``."""

from __future__ import annotations

from npu_migrate.findings import Applicability
from npu_migrate.index.facts import NOTHING, Attribute, Name, Statement, last_name
from npu_migrate.index.names import enclosing_class, lookup, spelled
from npu_migrate.intents import InsertStatement, Intent
from npu_migrate.semantics.resolution import receiver_class
from npu_migrate.training.pipelines.local_init import local_init_ops
from npu_migrate.training.pipelines.order import (
    certainly_before,
    insertion_point,
    is_inside,
    is_open_at,
    runs_unconditionally,
)
from npu_migrate.training.pipelines.owners import Owner, Owners
from npu_migrate.training.pipelines.placement.local_init_steps import assigns_only_zeros, local_init_steps
from npu_migrate.training.pipelines.placement.spot import (
    Plan,
    Spot,
    after_creation,
    insert_at,
    run_code,
    run_in,
)
from npu_migrate.training.pipelines.session_runs import runs_of
from npu_migrate.training.pipelines.sessions import Session, is_supervised


def plan_direct(spot: Spot, owners: Owners) -> Plan | None:
    """``sess.run(iterator.initializer)`` for every owner; None if one of them cannot read the iterator."""
    intents: list[Intent] = []
    here: list[str] = []
    if not owners.complete:
        return None
    for owner in owners.found:
        if owner.kind == "parameter" and _reads_open_session(spot, owner):
            here.append(run_code(spot, owner.text or ""))
            continue
        session = owner.session
        if (
            owner.kind == "unnamed"
            or session is None
            or (session.kind == "managed" and not _initialized_apart(spot, session))
        ):
            return None
        if session.kind == "evaluate":
            if session.scope != spot.scope or session.key != spot.facts.key:
                return None
            here.append(run_in(spot, session))
            continue
        step = _direct_step(spot, owner, session)
        if step is None:
            return None
        if isinstance(step, str):
            here.append(step)
        else:
            intents.append(step)
    return Plan((*after_creation(spot, tuple(dict.fromkeys(here))), *intents), Applicability.SAFE)


def _initialized_apart(spot: Spot, session: Session) -> bool:
    """Whether the iterator has to be initialized in the open session, which is a Supervisor's.

    That is where its local init op would do it together with variables that do not start at 0.
    """
    if not is_supervised(spot.project, session):
        return False
    steps = local_init_steps(spot.project, session, spot.facts.key, NOTHING)
    ops = local_init_ops(spot.project, session, spot.facts.key)
    return isinstance(steps, str) or not all(assigns_only_zeros(spot.project, op) for op in ops)


def _reads_open_session(spot: Spot, owner: Owner) -> bool:
    """Whether the open session of a function is read the same way where the iterator is made."""
    if owner.key != spot.facts.key:
        return False
    if owner.scope == spot.scope:
        return True
    there, here = (lookup(spot.facts, scope, owner.text or "") for scope in (owner.scope, spot.scope))
    return there is not None and here is not None and there.scope == here.scope == 0


def _direct_step(spot: Spot, owner: Owner, session: Session) -> InsertStatement | str | None:
    """One owner's step: a statement elsewhere, or the code to run right after the creation."""
    facts = spot.facts
    if session.key != facts.key:
        return None
    if session.scope == spot.scope:
        if is_open_at(facts, session, spot.statement.id):
            return _in_open_session(spot, session)
        if not certainly_before(facts, spot.statement.id, session.opened) or _rebound(spot):
            return None
        return _statement_at(spot, session, spot.statement.id)
    if not runs_unconditionally(facts, spot.statement.id) or spot.name is None or _rebound(spot):
        return None
    if spot.scope == 0 and isinstance(spot.name.target, Name):
        found = lookup(facts, session.scope, spot.name.target.id)
        return _statement_at(spot, session, NOTHING) if found is not None and found.scope == 0 else None
    return _direct_in_class(spot, owner, session)


def _in_open_session(spot: Spot, session: Session) -> InsertStatement | str | None:
    """The session is open when the iterator is made: right behind it, or behind the variables' initializers
    that follow."""
    if runs_of(spot.project, spot.facts, spot.statement, session.text).uses:
        return run_in(spot, session)
    point = insertion_point(spot.project, spot.facts, session, spot.statement.id)
    if point is None or point == (spot.statement.id, "after"):
        return run_in(spot, session)
    return _statement_at(spot, session, spot.statement.id)


def _direct_in_class(spot: Spot, owner: Owner, session: Session) -> InsertStatement | str | None:
    """Iterator and session both belong to one object: ``self.sess.run(self.iterator.initializer)``."""
    facts = spot.facts
    target = spot.name.target if spot.name is not None else None
    if not isinstance(target, Attribute) or not isinstance(target.value, Name):
        return None
    same_class = enclosing_class(facts, spot.scope)
    if same_class == NOTHING or enclosing_class(facts, session.scope) != same_class:
        return None
    if receiver_class(facts, session.scope, target.value.id) != same_class:
        return None
    on_self = session.text is not None and session.text.startswith(f"{target.value.id}.")
    method = facts.scopes[session.scope].name
    if owner.barrier == NOTHING and on_self and method == "__init__":
        return run_code(spot, session.text or "")
    if owner.barrier != NOTHING and is_open_at(facts, session, owner.barrier):
        return run_code(spot, session.text or "") if on_self else _statement_at(spot, session, owner.barrier)
    return _statement_at(spot, session, owner.barrier)


def _rebound(spot: Spot) -> bool:
    """Whether the iterator's name is bound to something else as well."""
    if spot.name is None:
        return False
    if isinstance(spot.name.target, Name):
        found = lookup(spot.facts, spot.creation.ref.scope, spot.name.target.id)
        bindings = found.bindings if found is not None else ()
        return any(
            binding.statement != spot.statement.id
            and not is_inside(spot.facts, binding.statement, spot.statement.id)
            for binding in bindings
        )
    attribute = last_name(spot.name.target) or ""
    stores = [
        site
        for site in spot.project.attributes(spot.facts.key, attribute)
        if site.stored and spelled(site.expr) == spot.name.text
    ]
    outside = [
        site
        for site in stores
        if site.statement != spot.statement.id
        and not is_inside(spot.facts, site.statement, spot.statement.id)
        and not _stores_none(spot.facts.statements[site.statement])
    ]
    return bool(outside)


def _stores_none(statement: Statement) -> bool:
    return len(statement.values) == 1 and getattr(statement.values[0], "value", 0) is None


def _statement_at(spot: Spot, session: Session, barrier: int) -> InsertStatement | None:
    point = insertion_point(spot.project, spot.facts, session, barrier)
    if point is None:
        return None
    return insert_at(spot.facts, point, run_in(spot, session), spot.rank)
