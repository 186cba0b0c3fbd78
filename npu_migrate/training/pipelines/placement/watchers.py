"""Code of a program that sees what a plan adds to it: names, ops, the collection of table initializers, runs.

What it makes of them is its own affair, so a plan that it sees is not safe, whatever an abstract run shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import (
    Attribute,
    Call,
    Comprehension,
    Constant,
    Expr,
    Subscript,
    argument,
    last_name,
)
from npu_migrate.index.names import code_scope
from npu_migrate.intents import BindExpression, InsertStatement, Intent
from npu_migrate.knowledge import randomness
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.places import Place
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.resolution import external_names
from npu_migrate.semantics.uses import uses
from npu_migrate.training.listed_names import listings
from npu_migrate.training.pipelines.iterators import Creation
from npu_migrate.training.pipelines.owners import Owner, Owners
from npu_migrate.training.pipelines.placement.replaced_runs import replaced_runs
from npu_migrate.training.pipelines.placement.spot import Plan
from npu_migrate.training.pipelines.received_sessions import run_of_its_own

_READING = ("get_collection", "get_collection_ref")
_NO_SEED = Constant(None, (0, 0, 0, 0))
_RUNNING = frozenset({"run", "group", "tuple", "extend", "append", "control_dependencies"})
"""Who gets initializers to run them, however many there are."""


class Watcher(NamedTuple):
    """What is seen: ``names``, ``collection``, ``ops``, ``runs`` or ``replaced`` (runs); and what sees it."""

    kind: str
    place: Place


def watcher_of(project: Project, creation: Creation, plan: Plan, owners: Owners) -> Watcher | None:
    """The code that sees what a plan for an iterator adds; None for a plan that nothing sees."""
    if plan.obstacle or plan.returns_dataset:
        return None
    return next(_watchers(project, creation, plan, owners), None)


def _watchers(project: Project, creation: Creation, plan: Plan, owners: Owners) -> Iterator[Watcher]:
    key = creation.ref.key
    facts = project.facts(key)
    assert facts is not None
    scope = 0 if plan.by_helper else code_scope(facts, creation.ref.scope)
    if plan.by_helper or any(map(_binds, plan.intents)):
        yield from (Watcher("names", one.place) for one in listings(project, key, scope))
    if any("TABLE_INITIALIZERS" in code for one in plan.intents for code in _codes(one)):
        yield from (Watcher("collection", one.place) for one in _readers_of_collections(project, key))
    yield from (Watcher("ops", one.place) for one in _readers_of_ops(project, key))
    if any(".run(" in code for one in plan.intents for code in _codes(one)):
        for owner in owners.found:
            yield from (Watcher("runs", one) for one in _runs_of_its_own(project, owner))
        yield from (Watcher("replaced", one) for one in replaced_runs(project, key))


def _codes(intent: Intent) -> tuple[str, ...]:
    """The statements that an intent writes."""
    if isinstance(intent, InsertStatement):
        return (intent.code,)
    return intent.then if isinstance(intent, BindExpression) else ()


def _binds(intent: Intent) -> bool:
    """Whether an intent makes a variable."""
    return isinstance(intent, BindExpression) or any(code.startswith("for ") for code in _codes(intent))


# -- collections and ops -------------------------------------------------------------------------------


@once
def _readers_of_collections(project: Project, key: str) -> tuple[Ref, ...]:
    """The calls in the programs of a file that look into the collection of table initializers."""
    near = project.neighbours(key)
    found = [
        ref_of_call(home, site)
        for name in (*_READING, "get_all_collection_keys")
        for home, site in project.calls_named(name)
        if home in near
    ]
    return tuple(one for one in found if _looks_into_tables(project, one) and not _only_runs(project, one))


def _looks_into_tables(project: Project, ref: Ref) -> bool:
    assert isinstance(ref.expr, Call)
    if last_name(ref.expr.func) == "get_all_collection_keys":
        return True
    key = argument(ref.expr, "key", 0) or argument(ref.expr, "name", 0)
    if isinstance(key, Constant):
        return bool(key.value == tf.TABLES_COLLECTION_KEY)
    return key is not None and tf.TABLES_COLLECTION in external_names(project, ref.key, ref.scope, key)


def _only_runs(project: Project, ref: Ref) -> bool:
    """Whether what a call gives is run, or handed to what runs it."""
    assert isinstance(ref.expr, Call)
    found = uses(project, ref)
    return bool(found) and all(
        (one.kind == "argument" and _runs(one.ref.expr)) or _is_in_a_run(project, one.ref) for one in found
    )


def _runs(expr: Expr) -> bool:
    return isinstance(expr, Call) and (last_name(expr.func) or "") in _RUNNING


def _is_in_a_run(project: Project, ref: Ref) -> bool:
    """Whether something stands in a list, or another operation, that is run."""
    around: Ref | None = ref
    while around is not None:
        if _runs(around.expr):
            return True
        around = project.parent_ref(around)
    return False


@once
def _readers_of_ops(project: Project, key: str) -> tuple[Ref, ...]:
    """The calls in the programs of a file that list, or count, all ops of a graph."""
    near = project.neighbours(key)
    found = (
        ref_of_call(home, site)
        for home, site in project.calls_named("get_operations")
        if home in near and not site.call.args
    )
    return tuple(
        ref for ref in found if any(_counts(project, one.kind, one.ref) for one in uses(project, ref))
    )


def _counts(project: Project, kind: str, ref: Ref) -> bool:
    """Whether the use of a list tells how many items it has, or takes them all without choosing."""
    if kind == "argument":
        return isinstance(ref.expr, Call) and last_name(ref.expr.func) in ("len", "print", "enumerate")
    if kind == "contained" and isinstance(ref.expr, Subscript):
        return True
    if kind != "iterated":
        return False
    if isinstance(ref.expr, Comprehension):
        return not ref.expr.conditions
    facts = project.facts(ref.key)
    assert facts is not None
    first = project.block(facts, ref.statement, "body")[0]
    return first.kind != "If"


# -- runs ----------------------------------------------------------------------------------------------


def _runs_of_its_own(project: Project, owner: Owner) -> Iterator[Place]:
    """The `run` methods, with effects of their own, of what a plan takes for a session."""
    session = owner.session
    if session is not None:
        around = project.parent_ref(session.created)
        yield from run_of_its_own(project, session.created)
        while around is not None:
            if isinstance(around.expr, Call):
                yield from run_of_its_own(project, around)
            around = project.parent_ref(around)
        return
    facts = project.facts(owner.key)
    if facts is None or owner.text is None:
        return
    for site in facts.calls:
        func = site.call.func
        if (
            code_scope(facts, site.scope) == owner.scope
            and isinstance(func, Attribute)
            and func.attr == "run"
        ):
            yield from run_of_its_own(project, Ref(owner.key, site.scope, site.statement, func.value))


# -- seeds ---------------------------------------------------------------------------------------------


@once
def graph_seeds(project: Project, key: str) -> tuple[Ref, ...]:
    """Where the programs of a file give a graph its seed, in order of file and place; nowhere if they draw no
    numbers without a seed of their own.

    Ops without a seed of their own then draw by that and by how many ops the graph has [TF].
    """
    near = project.neighbours(key)
    found = [
        ref_of_call(home, site)
        for name in randomness.SEEDING
        for home, site in project.calls_named(name)
        if home in near and _seeds(site.call)
    ]
    if not found or not any(
        home in near and _draws(site.call)
        for name in randomness.DRAWING
        for home, site in project.calls_named(name)
    ):
        return ()
    return tuple(sorted(found, key=lambda one: (one.key, one.expr.span)))


def _draws(call: Call) -> bool:
    """Whether a call may make an op that draws random numbers, and has no seed of its own."""
    given = {one.name: one.value for one in call.keywords}
    return not randomness.INITIALIZERS.intersection(given) and given.get("seed", _NO_SEED) is _NO_SEED


def _seeds(call: Call) -> bool:
    if last_name(call.func) == randomness.SEEDING[0]:
        given = argument(call, "seed", 0)
    else:
        given = next((one.value for one in call.keywords if one.name == "tf_random_seed"), None)
    return given is not None and not (isinstance(given, Constant) and given.value is None)
