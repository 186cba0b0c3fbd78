"""Whether ``tf.tables_initializer()`` runs late enough to find a pipeline, and never restarts one in use."""

from __future__ import annotations

from collections.abc import Iterable

from npu_migrate.index.facts import NOTHING, FileFacts, argument
from npu_migrate.index.names import ancestors, code_scope, spelled
from npu_migrate.intents import InsertStatement, Intent, WrapExpression
from npu_migrate.project.project import Project
from npu_migrate.semantics.calls.function_calls import all_calls_of
from npu_migrate.semantics.calls.parameters import argument_for
from npu_migrate.semantics.resolution import Definition
from npu_migrate.semantics.statements import statements_of_scope
from npu_migrate.training.pipelines.chronology import Mark, built_behind_session, repeats_in_session
from npu_migrate.training.pipelines.owners import Owner, opening_mark
from npu_migrate.training.pipelines.placement.spot import Spot
from npu_migrate.training.pipelines.session_runs import initializer_runs, runs_of, tables_initializer_calls
from npu_migrate.training.pipelines.sessions import Session, all_sessions


def built_too_late(spot: Spot, marks: Iterable[Mark]) -> bool:
    """Whether some run of the program builds the pipeline behind the last place that runs the collection."""
    build = Mark(spot.facts.key, spot.scope, spot.statement.id, False)
    return built_behind_session(spot.project, (build, *marks))


def places_of_runs(spot: Spot, owner: Owner, steps: Iterable[Intent]) -> tuple[Mark, ...]:
    """Where the owner's session runs the collection: where that is inserted, else where it opens."""
    steps = tuple(steps)
    inserted = tuple(inserted_at(spot.project, step) for step in steps if isinstance(step, InsertStatement))
    wrapped = tuple(_wrapped(spot.project, step) for step in steps if isinstance(step, WrapExpression))
    if inserted or wrapped or owner.session is None:
        return inserted or wrapped
    return (opening_mark(spot.project, owner.session, owner.barrier),)


def restarts(spot: Spot, owner: Owner, steps: Iterable[Intent]) -> bool:
    """Whether the collection would run again in a session that may have read from a registered iterator."""
    project, session = spot.project, owner.session
    if session is not None and session.kind != "raw":
        return False
    runs = [inserted_at(project, step) for step in steps if isinstance(step, InsertStatement)]
    if session is None:
        if owner.kind != "parameter":
            return False
        opened = [opening_mark(project, found) for found in all_sessions(project) if found.kind == "raw"]
        return _callers_use_session(project, owner) or _any_repeats(project, opened, runs)
    return _any_repeats(project, [opening_mark(project, session)], [*runs, *_own_runs(project, session)])


def used_before(project: Project, facts: FileFacts, session: Session, statement: int) -> bool:
    """Whether the session's scope runs something else than initializers in it before `statement`."""
    return _uses_before(project, facts, session.scope, statement, session.text, session.opened)


def _any_repeats(project: Project, opened: list[Mark], runs: Iterable[Mark]) -> bool:
    return any(repeats_in_session(project, opened, run._replace(opens=False)) for run in runs)


def inserted_at(project: Project, step: InsertStatement) -> Mark:
    """Where a statement is put in."""
    facts = project.facts(step.place.path)
    assert facts is not None
    found = next(item for item in facts.statements if item.span == step.place.span)
    around = [facts.statements[number].kind for number in ancestors(facts, found.id)]
    once = found.kind != "With" and bool(around) and around[0] == "If"
    return Mark(step.place.path, code_scope(facts, found.scope), found.id, True, once)


def _wrapped(project: Project, step: WrapExpression) -> Mark:
    """Where an op is made that gets ``tf.tables_initializer()``: it knows what is registered by then."""
    facts = project.facts(step.place.path)
    assert facts is not None
    start = step.place.span[:2]
    around = [item for item in facts.statements if item.span[:2] <= start < item.span[2:]]
    return Mark(step.place.path, code_scope(facts, around[-1].scope), around[-1].id, True)


def _own_runs(project: Project, session: Session) -> list[Mark]:
    """Where the program itself runs ``tf.tables_initializer()`` in the session."""
    found = []
    for run in initializer_runs(project, session):
        facts = project.facts(run.key)
        fetched = argument(run.expr, "fetches", 0)  # type: ignore[arg-type]
        assert facts is not None and fetched is not None
        if tables_initializer_calls(project, run._replace(expr=fetched)):
            found.append(Mark(run.key, code_scope(facts, run.scope), run.statement, True))
    return found


def _callers_use_session(project: Project, owner: Owner) -> bool:
    """Whether a function that was given its session, or one that called it, has used the session before."""
    facts = project.facts(owner.key)
    assert facts is not None
    if _uses_before(project, facts, owner.scope, owner.barrier, owner.text, NOTHING):
        return True
    target = Definition(owner.key, owner.scope)
    for site in all_calls_of(project, target):
        caller = project.facts(site.key)
        assert caller is not None
        given = argument_for(project, site, target, owner.text or "")
        text = spelled(given.expr) if given is not None else owner.text
        if _uses_before(project, caller, code_scope(caller, site.scope), site.statement, text, NOTHING):
            return True
    return False


def _uses_before(
    project: Project, facts: FileFacts, scope: int, statement: int, text: str | None, first: int
) -> bool:
    around = set(ancestors(facts, statement))
    return text is not None and any(
        runs_of(project, facts, other, text).uses
        for other in statements_of_scope(project, facts, scope)
        if first < other.id < statement and other.id not in around
    )
