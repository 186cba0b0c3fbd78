"""The plan for one iterator: the dataset returned, a direct initialization, or one through the collection."""

from __future__ import annotations

from collections.abc import Sequence

from npu_migrate.findings import Applicability
from npu_migrate.index.facts import Call, Lambda, Name, last_name
from npu_migrate.index.names import code_scope, lookup, spelled
from npu_migrate.intents import KeepInner
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.resolution import Definition
from npu_migrate.semantics.statements import names_of_scope
from npu_migrate.semantics.uses import uses
from npu_migrate.training.pipelines.imported_graphs import may_run_imported
from npu_migrate.training.pipelines.input_functions import (
    input_employment,
    runs_apart_from_graph,
    runs_in_dataset,
)
from npu_migrate.training.pipelines.iterators import Creation, Holder, holder
from npu_migrate.training.pipelines.owners import FindOwners
from npu_migrate.training.pipelines.partition.feeds import stands_on_placeholder
from npu_migrate.training.pipelines.placement.direct import plan_direct
from npu_migrate.training.pipelines.placement.keras import is_given_to_model, plan_in_keras
from npu_migrate.training.pipelines.placement.naming import unbindable
from npu_migrate.training.pipelines.placement.partners import effective_statement
from npu_migrate.training.pipelines.placement.registered import plan_registered
from npu_migrate.training.pipelines.placement.spot import Plan, Spot, manual
from npu_migrate.training.pipelines.unseen_sessions import (
    programs_bringing_up_sessions,
    programs_executing_runs,
)


def plan_initialization(
    project: Project, creation: Creation, partners: Sequence[Creation], fresh: str, find_owners: FindOwners
) -> Plan:
    """Plans the initialization of one iterator.

    `partners` are creations that bind the same name in the other branches of one ``if`` or ``try``;
    `fresh` is the name to use if the iterator has none. `find_owners` knows which sessions run it.
    """
    ref = creation.ref
    facts = project.facts(ref.key)
    assert facts is not None
    if runs_in_dataset(project, ref.key, ref.scope):
        apart = runs_apart_from_graph(project, ref.key, ref.scope)
        return manual("dataset" if apart else "control-flow")
    if is_given_to_model(project, ref):
        return manual("keras")
    scope = code_scope(facts, ref.scope)
    dataset = _returned_dataset(project, creation, scope)
    if dataset is not None and not find_owners(project, ref.key, scope, ref.statement).seen:
        return _unless_run_by_name(project, ref, dataset)
    spot = spot_of(project, creation, partners, fresh)
    if isinstance(spot, str):
        return manual(spot)
    if _initialized_already(project, creation):
        return _unless_run_by_name(project, ref, Plan((), Applicability.SAFE))
    owners = find_owners(project, ref.key, scope, spot.statement.id)
    if stands_on_placeholder(project, ref):
        return manual("feed")
    plans = (plan(spot, owners) for plan in (plan_direct, plan_in_keras))
    planned = next((plan for plan in plans if plan is not None), None) or plan_registered(spot, owners)
    return planned if owners.seen else _unless_run_by_name(project, ref, planned)


def _unless_run_by_name(project: Project, ref: Ref, plan: Plan) -> Plan:
    """The plan, which is not safe where a program may run the pipeline by the names of its ops."""
    apart = programs_bringing_up_sessions(project) | programs_executing_runs(project)
    unseen = apart.intersection(project.programs_of(ref.key)) or may_run_imported(project, ref.key)
    return plan._replace(applicability=Applicability.UNSAFE) if unseen else plan


def spot_of(project: Project, creation: Creation, partners: Sequence[Creation], fresh: str) -> Spot | str:
    """The iterator, about to be initialized; a word for what is in the way if it cannot be."""
    ref = creation.ref
    facts = project.facts(ref.key)
    assert facts is not None
    name = holder(project, ref)
    if name is None:
        obstacle = unbindable(project, ref)
        if obstacle:
            return obstacle
    if name is not None and _used_in_dataset(project, ref, name):
        return "dataset"
    statement = facts.statements[effective_statement(facts, creation, partners)]
    rank = min(item.ref.expr.span[0] for item in (creation, *partners))
    return Spot(project, facts, creation, code_scope(facts, ref.scope), statement, name, fresh, rank)


def _initialized_already(project: Project, creation: Creation) -> bool:
    """Whether the code runs the private ``initializer_code`` if there is one: renaming is enough then."""
    return any(
        use.kind == "attribute" and use.name == "initializer_code" for use in uses(project, creation.ref)
    )


# -- input functions -----------------------------------------------------------------------------------


def _returned_dataset(project: Project, creation: Creation, scope: int) -> Plan | None:
    """``return ds.make_…().get_next()`` of an input function: the dataset itself may be returned."""
    ref = creation.ref
    facts = project.facts(ref.key)
    assert facts is not None
    attribute = project.parent_ref(ref)
    if attribute is None or creation.dataset is None or last_name(attribute.expr) != "get_next":
        return None
    call = project.parent_ref(attribute)
    if (
        call is None
        or not isinstance(call.expr, Call)
        or call.expr.func is not attribute.expr
        or call.expr.args
    ):
        return None
    outer = project.parent_ref(call)
    statement = facts.statements[ref.statement]
    returned = (outer is None and statement.kind == "Return") or (
        outer is not None and isinstance(outer.expr, Lambda) and outer.expr.body is call.expr
    )
    if not returned or input_employment(project, Definition(ref.key, scope)) != "only":
        return None
    keep = KeepInner(call.place, Place(ref.key, creation.dataset.span))
    return Plan((keep,), Applicability.SAFE, returns_dataset=True)


# -- spelling ------------------------------------------------------------------------------------------


def _used_in_dataset(project: Project, ref: Ref, name: Holder) -> bool:
    """Whether a function of a dataset reads the iterator, or one that runs in Python beside the graph."""
    facts = project.facts(ref.key)
    assert facts is not None
    if isinstance(name.target, Name):
        home = lookup(facts, ref.scope, name.target.id)
        sites = names_of_scope(project, ref.key, name.target.id, home.scope) if home is not None else ()
    else:
        attributes = project.attributes(ref.key, last_name(name.target) or "")
        sites = tuple(site for site in attributes if spelled(site.expr) == name.text)
    own = code_scope(facts, ref.scope)
    return any(
        not site.stored
        and code_scope(facts, site.scope) != own
        and runs_apart_from_graph(project, ref.key, site.scope)
        for site in sites
    )
