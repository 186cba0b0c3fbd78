"""What NPU101 and NPU102 share: planning the initializers of a file's iterators, and the words for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from npu_migrate.findings import Applicability, Finding, Rewrite
from npu_migrate.index.facts import FileFacts
from npu_migrate.index.names import code_scope
from npu_migrate.project.project import Project
from npu_migrate.rules import first_use
from npu_migrate.training.pipelines.imported_graphs import programs_running_imported_graphs
from npu_migrate.training.pipelines.iterators import Creation, holder
from npu_migrate.training.pipelines.owners import FindOwners, owners_of
from npu_migrate.training.pipelines.placement.naming import fresh_name, related_scopes
from npu_migrate.training.pipelines.placement.partners import partners_of
from npu_migrate.training.pipelines.placement.planning import plan_initialization, spot_of
from npu_migrate.training.pipelines.placement.proposals import proposals
from npu_migrate.training.pipelines.placement.spot import Plan
from npu_migrate.training.rec.programs import modifies_graph

TITLE_DATASET = "Return the dataset; the Estimator makes and initializes the iterator"

UNKNOWN_SESSION = (
    "no session that runs it is in sight: whoever runs this pipeline has to run tf.tables_initializer() "
    "first (Estimators and monitored sessions do)"
)

APART = {
    "held": "the part is added to its list elsewhere, or is no item of a list or group",
    "shared": "the list or group is also used elsewhere",
    "value-used": "the result of the run is used",
    "out-of-reach": "the iterator cannot be read where the op is run",
    "feed": "the initializer needs a feed_dict",
    "local-init": "a local_init_op of the program's own does not initialize tables by themselves",
    "local-variables": "the default local init op initializes local variables that do not start at 0 as well",
    "init-fn": "an init_fn runs before the local init op",
}
"""Why the part of a run that initializes an iterator cannot get a run of its own."""

OBSTACLES = {
    "comprehension": "the iterator is used inside a comprehension: give it a name on a statement of its own",
    "lambda": "the iterator is made inside a lambda: make it in a function, and run its initializer",
    "conditional": "the iterator is made in only one branch of an expression: use an if statement",
    "dataset": "the iterator is used inside a function of a dataset or of a graph conditional: "
    "rebuild it as part of the dataset",
    "statement": "the iterator has no statement of its own: give it a name first",
    "module": "the initializer cannot be placed here: run it before the first use of the iterator",
    "late": "a session is open before the iterator is made: run the initializer in that session, right after",
    "restart": "tables_initializer() would run again in the same session and restart the iterator: run its "
    "own initializer once",
    "feed": "its dataset stands on a placeholder: run its initializer by itself, with the feed_dict",
    "local-variables": "the default local init op would initialize it together with local variables that do "
    "not start at 0, and on the NPU they would be 0: run its initializer by itself, such as in a hook's "
    "after_create_session",
    "local-init": "the program's own local init op, or something else that is not seen to be harmless, would "
    "run together with it, and what that assigns would be 0 on the NPU: run its initializer by itself, such "
    "as in a hook's after_create_session",
    **{
        f"joined-{word}": "the program runs tables_initializer() together with variable initializers; in one "
        f"run with an iterator these would be 0 on the NPU, and they cannot be set apart here: {reason}"
        for word, reason in APART.items()
    },
    "unseen-tables": "the program makes a tables_initializer() that is not seen to run by itself; in one run "
    "with an iterator, what is assigned would be 0 on the NPU: run the initializer by itself",
    "raw-op": "the raw op has no initializable form of the same shape: use the iterators of tf.data",
    "reflection": "the method is reached through getattr: call it by name",
    "imported-name": "another use of the imported function cannot be rewritten",
    **first_use.OBSTACLES,
    "rec": "this program modifies the graph (Rec SDK): make the iterator initializable and run "
    "get_initializer(True) for training, get_initializer(False) for evaluation",
}


_OPEN = ("", "late", "module", "restart")
"""The obstacles that may only be a lack of evidence."""


class Planned(NamedTuple):
    """One creation, those that have to change together with it, and the plan.

    `proposals` are plans to be tried before, which are right only if an abstract run bears them out.
    """

    creation: Creation
    partners: tuple[Creation, ...]
    plan: Plan
    proposals: tuple[Plan, ...] = ()


def plan_all(
    project: Project, facts: FileFacts, creations: Sequence[Creation], find_owners: FindOwners
) -> list[Planned]:
    """The plans for all iterators of one rule in one file; new names are the same whichever is applied."""
    beside: dict[int, list[Creation]] = {}
    for creation in creations:
        beside.setdefault(facts.statements[creation.ref.statement].parent, []).append(creation)
    result = []
    for creation, fresh in zip(creations, _names(project, facts, creations), strict=True):
        others = beside[facts.statements[creation.ref.statement].parent]
        partners = partners_of(project, creation, others)
        if creation.form in ("raw-op", "reflection"):
            plan = Plan((), Applicability.UNSAFE, creation.form)
        elif modifies_graph(project, facts.key):
            plan = Plan((), Applicability.UNSAFE, "rec")
        else:
            plan = plan_initialization(project, creation, partners, fresh, find_owners)
        wanted = first_use.wanted(project, creation, plan)
        result.append(
            Planned(creation, partners, wanted, _proposed(project, creation, partners, fresh, plan))
        )
    return result


def _proposed(
    project: Project, creation: Creation, partners: Sequence[Creation], fresh: str, plan: Plan
) -> tuple[Plan, ...]:
    """What may be tried where the explicit `plan` is not certain."""
    if (
        plan.returns_dataset
        or partners
        or project.options.initialize == "first-use"
        or plan.obstacle not in _OPEN
    ):
        return ()
    if programs_running_imported_graphs(project).intersection(project.programs_of(creation.ref.key)):
        return ()
    spot = spot_of(project, creation, partners, fresh)
    if isinstance(spot, str):
        return ()
    owners = owners_of(project, creation.ref.key, spot.scope, spot.statement.id)
    return tuple(proposals(spot, owners))


def with_proposals(finding: Finding, rewrites: Iterable[Rewrite], message: str) -> Finding:
    """The finding with what may be tried: the first of the `rewrites` that is borne out, with that message.

    Before a safe fix they are not tried, only if it is refuted; and if all of them are, `finding` stands.
    """
    tried = tuple(rewrites)
    own = finding.rewrite
    if not tried:
        return finding
    first = finding if own is None else replace(finding, rewrite=replace(own, attempt=len(tried) + 1))
    for attempt in range(len(tried), 0, -1):
        rewrite = replace(tried[attempt - 1], otherwise=first, proposal=True, attempt=attempt)
        first = replace(finding, rewrite=rewrite, message=message)
    if own is None or own.applicability is not Applicability.SAFE:
        return first
    return replace(finding, rewrite=replace(own, otherwise=first))


def _names(project: Project, facts: FileFacts, creations: Sequence[Creation]) -> list[str]:
    """A name for each iterator that needs one; those of one list share it."""
    result: list[str] = []
    given: dict[int, set[str]] = {}
    by_list: dict[int, str] = {}
    for creation in creations:
        name = holder(project, creation.ref)
        statement = creation.ref.statement
        if name is not None and not name.each:
            result.append("")
            continue
        if name is not None and statement in by_list:
            result.append(by_list[statement])
            continue
        scope = code_scope(facts, creation.ref.scope)
        seen_here = {n for number in related_scopes(facts, scope) for n in given.get(number, ())}
        fresh = fresh_name(project, facts, scope, seen_here)
        given.setdefault(scope, set()).add(fresh)
        by_list[statement] = fresh
        result.append(fresh)
    return result
