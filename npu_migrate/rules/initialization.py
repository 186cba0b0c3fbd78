"""What NPU101 and NPU102 share: planning the initializers of a file's iterators, and the words for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from npu_migrate.findings import Applicability, Related
from npu_migrate.index.facts import FileFacts
from npu_migrate.index.names import code_scope, enclosing_function
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.rules import first_use
from npu_migrate.semantics.calls.callers import callers
from npu_migrate.semantics.resolution import Definition
from npu_migrate.training.pipelines.graph_files.elsewhere import imported_elsewhere
from npu_migrate.training.pipelines.graph_files.read import Import
from npu_migrate.training.pipelines.imported_graphs import imported_graphs, may_run_imported
from npu_migrate.training.pipelines.input_functions import runs_in_graph_function
from npu_migrate.training.pipelines.iterators import Creation, holder
from npu_migrate.training.pipelines.owners import FindOwners, Owners
from npu_migrate.training.pipelines.placement.naming import fresh_name, related_scopes
from npu_migrate.training.pipelines.placement.partners import partners_of
from npu_migrate.training.pipelines.placement.planning import plan_initialization, spot_of
from npu_migrate.training.pipelines.placement.proposals import proposals, proposals_by_helper
from npu_migrate.training.pipelines.placement.spot import Plan
from npu_migrate.training.pipelines.placement.watchers import Watcher, graph_seeds, watcher_of
from npu_migrate.training.pipelines.sessions import created_sessions
from npu_migrate.training.reading.init_functions import read_by_init_function
from npu_migrate.training.reading.other_readers import owners_with_readers
from npu_migrate.training.rec.programs import modifies_graph

TITLE_DATASET = "Return the dataset; the Estimator makes and initializes the iterator"

_FIRST = "has to run tf.tables_initializer() first (Estimators and monitored sessions do)"
_WHOEVER = f"whoever runs this pipeline {_FIRST}"
UNKNOWN_SESSION = f"no session that runs it is in sight: {_WHOEVER}"
UNCLEAR_SESSION = f"which session runs it cannot be told: {_WHOEVER}"
NO_CALLER = f"nobody in sight calls {{function}}(): {_WHOEVER}"
AMBIGUOUS = f"which file of this name a program imports cannot be told: {_WHOEVER}"
OTHER_CALLERS = f"some of the code that may get to it is not in sight: {_WHOEVER}"
IMPORTED_GRAPH = f"the program imports a graph that may hold this pipeline: who runs it in there {_FIRST}"
IMPORTED_ELSEWHERE = (
    "another script imports a graph that may hold this pipeline: it has to run the iterator's initializer "
    "in there before it runs the pipeline"
)
WATCHED = {
    "names": "the fix adds a variable where the program lists its own",
    "collection": "the fix adds to the collection of table initializers, which the program looks into",
    "ops": "the fix adds ops, and the program lists or counts those of its graph",
    "runs": "the fix makes one more run by a class of the program's own, whose run() does more than run",
    "replaced": "the fix makes one more run, and the program has put code of its own in the place of run()",
    "early": "the session is initialized by a function that runs the pipeline before its initializer has run",
}
"""What code of the program sees of a fix: see `watchers`."""
WATCHED_HERE = {
    "names": "the variables are listed here",
    "collection": "the program looks into it here",
    "ops": "the program lists or counts its ops here",
    "runs": "this is done at every run",
    "replaced": "run() is replaced here",
    "early": "the pipeline is run here",
}
SEED = (
    "with the fix, the seed of the graph gives ops without one of their own other random numbers, of the "
    "same distribution"
)
SEEDED_HERE = "the seed of the graph is given here"
SEEN_SESSION = "this session runs it"
A_SESSION = "a session of the program"
MADE_HERE = "it is made in this function"
IMPORTED_HERE = "a graph is imported here"

APART = {
    "held": "the part is added to its list elsewhere, or is no item of a list or group",
    "shared": "the list or group is also used elsewhere",
    "value-used": "the result of the run is used",
    "out-of-reach": "the iterator cannot be read where the op is run",
    "feed": "the initializer needs a feed_dict",
    "local-init": "a local_init_op of the program's own does not initialize tables by themselves",
    "unseen-local-init": "which local_init_op its session gets is not in sight: do it in a hook's "
    "after_create_session",
    "local-variables": "the default local init op initializes local variables that do not start at 0 as well",
    "init-fn": "an init_fn runs before the local init op",
}
"""Why the part of a run that initializes an iterator cannot get a run of its own."""

OBSTACLES = {
    "comprehension": "the iterator is used inside a comprehension: give it a name on a statement of its own",
    "lambda": "the iterator is made inside a lambda: make it in a function, and run its initializer",
    "conditional": "the iterator is made in only one branch of an expression: use an if statement",
    "dataset": "the iterator is used inside a function of a dataset, or one that runs beside the graph: "
    "rebuild it as part of the dataset",
    "control-flow": "the iterator is made inside a function of tf.cond, tf.while_loop or their like: make it "
    "before them",
    "statement": "the iterator has no statement of its own: give it a name first",
    "module": "the initializer cannot be placed here: run it before the first use of the iterator",
    "late": "a session is open before the iterator is made: run the initializer in that session, right after",
    "restart": "tables_initializer() would run again in the same session and restart the iterator: run its "
    "own initializer once",
    "feed": "its dataset stands on a placeholder: run its initializer by itself, with the feed_dict",
    "local-variables": "the local init op of its session initializes local variables that do not start at 0, "
    "and in one run with the iterator they would be 0 on the NPU: run its initializer by itself, such as in "
    "a hook's after_create_session",
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
    "handed-on": "make_one_shot_iterator is handed on here, and something else calls it: call it in the "
    "program's own code, once for each dataset",
    "reflection": "the method is reached through getattr or methodcaller: call it by name",
    "bound": "the method is taken here and called elsewhere: call it where it is taken",
    "imported-name": "another use of the imported function cannot be rewritten",
    **first_use.OBSTACLES,
    "keras": "Keras takes no iterators in TensorFlow 1.15: pass the dataset itself, and Keras makes the "
    "iterator and initializes it",
    "rec": "this program modifies the graph (Rec SDK): make the iterator initializable and run "
    "get_initializer(True) for training, get_initializer(False) for evaluation",
}


_OPEN = ("", "late", "module", "restart")
"""The obstacles that may only be a lack of evidence."""

_NAMELESS = ("comprehension", "lambda", "conditional", "statement", "handed-on")
"""Those of iterators that a function may make instead."""


class Planned(NamedTuple):
    """One creation, those that have to change together with it, and the plan.

    `explicit` is the plan that is made where no iterator is to be initialized on first use, and `fresh` the
    name for an iterator that has none. `elsewhere` is where another script imports a graph in which the
    iterator is not initialized any more once it is planned. `watcher` is code that sees what the plan adds.
    """

    creation: Creation
    partners: tuple[Creation, ...]
    plan: Plan
    explicit: Plan
    fresh: str
    elsewhere: Import | None = None
    watcher: Watcher | None = None


class Assumption(NamedTuple):
    """What a plan assumes, in words, and the place that decided; no words for one that is safe or manual."""

    text: str
    related: tuple[Related, ...]


def assumption(project: Project, planned: Planned) -> Assumption:
    """Why the plan for an iterator is not safe, though there is one."""
    creation, plan, elsewhere, watcher = planned.creation, planned.plan, planned.elsewhere, planned.watcher
    if plan.obstacle or plan.applicability is not Applicability.UNSAFE:
        return Assumption("", ())
    if watcher is not None:
        return Assumption(WATCHED[watcher.kind], (Related(watcher.place, WATCHED_HERE[watcher.kind]),))
    ref = creation.ref
    imports = imported_graphs(project, project.programs_of(ref.key))
    if plan.on_first_use and (imports or elsewhere is None):
        return Assumption(first_use.IMPORTED, ())
    facts = project.facts(ref.key)
    assert facts is not None
    if imports:
        return Assumption(IMPORTED_GRAPH, (Related(imports[0].place, IMPORTED_HERE),))
    if elsewhere is not None:
        return Assumption(IMPORTED_ELSEWHERE, (Related(elsewhere.place, IMPORTED_HERE),))
    scope = code_scope(facts, ref.scope)
    owners = owners_with_readers(project, ref.key, scope, ref.statement)
    if ref.key in project.programs.ambiguous:
        return Assumption(AMBIGUOUS, ())
    seen = [owner.session.created.place for owner in owners.found if owner.session is not None]
    if owners.found:
        return Assumption(OTHER_CALLERS, tuple(Related(place, SEEN_SESSION) for place in seen[:1]))
    function = facts.scopes[enclosing_function(facts, ref.scope)]
    known = callers(project, Definition(ref.key, function.id))
    if function.id and not known.sites and known.all_seen:
        place = Place(ref.key, facts.statements[function.statement].span)
        return Assumption(NO_CALLER.format(function=function.name), (Related(place, MADE_HERE),))
    near = project.neighbours(ref.key)
    opened = next((one for one, _ in created_sessions(project) if one.key in near), None)
    if opened is not None:
        return Assumption(UNCLEAR_SESSION, (Related(opened.place, A_SESSION),))
    return Assumption(UNKNOWN_SESSION, ())


def seed_note(project: Project, creation: Creation) -> Assumption:
    """What a fix does to random numbers that a program means to be the same each time, if anything."""
    seeds = graph_seeds(project, creation.ref.key)
    return Assumption(SEED, (Related(seeds[0].place, SEEDED_HERE),)) if seeds else Assumption("", ())


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
        is_loose = creation.form == "mapped" and holder(project, creation.ref) is None
        if is_loose or creation.form == "handed-on":
            plan = Plan((), Applicability.UNSAFE, "handed-on")
        elif creation.form in ("raw-op", "reflection", "bound"):
            plan = Plan((), Applicability.UNSAFE, creation.form)
        elif modifies_graph(project, facts.key):
            plan = Plan((), Applicability.UNSAFE, "rec")
        else:
            plan = plan_initialization(project, creation, partners, fresh, find_owners)
        wanted = first_use.wanted(project, creation, plan)
        result.append(Planned(creation, partners, wanted, plan, fresh))
    return result


def with_importers(project: Project, planned: Planned) -> Planned:
    """The plans for a one-shot iterator, of which none is safe where another script may run it.

    As it is, the iterator needs nobody to initialize it, in whatever graph.
    """
    elsewhere = imported_elsewhere(project, planned.creation)
    if elsewhere is None:
        return planned
    unsafe = Applicability.UNSAFE
    return planned._replace(
        plan=planned.plan._replace(applicability=unsafe),
        explicit=planned.explicit._replace(applicability=unsafe),
        elsewhere=elsewhere,
    )


def with_watchers(project: Project, planned: Planned, find_owners: FindOwners) -> Planned:
    """The plan for a one-shot iterator, which is not safe where the program sees what it adds."""
    watcher = watcher_of(project, planned.creation, planned.plan, _owners(project, planned, find_owners))
    watcher = watcher or _early_reader(project, planned)
    if watcher is None:
        return planned
    plan = planned.plan._replace(applicability=Applicability.UNSAFE)
    return planned._replace(plan=plan, watcher=watcher)


def _early_reader(project: Project, planned: Planned) -> Watcher | None:
    """The function that initializes a session and reads the pipeline, before an initializer can run."""
    plan = planned.plan
    if plan.obstacle or plan.returns_dataset or plan.on_first_use:
        return None
    ref = planned.creation.ref
    found = read_by_init_function(project, ref.key, ref.statement)
    return Watcher("early", found.place) if found is not None else None


def _owners(project: Project, planned: Planned, find_owners: FindOwners) -> Owners:
    ref = planned.creation.ref
    facts = project.facts(ref.key)
    assert facts is not None
    return find_owners(project, ref.key, code_scope(facts, ref.scope), ref.statement)


def proposed_plans(project: Project, planned: Planned) -> tuple[Plan, ...]:
    """What may be tried where the explicit plan is not certain: right if an abstract run bears it out, and
    nothing in the program sees what it adds."""
    owners = _owners(project, planned, owners_with_readers)
    return tuple(
        one
        for one in _proposed_plans(project, planned)
        if watcher_of(project, planned.creation, one, owners) is None
    )


def _proposed_plans(project: Project, planned: Planned) -> tuple[Plan, ...]:
    creation, partners, _, plan, fresh, elsewhere, _ = planned
    if (
        plan.returns_dataset
        or partners
        or project.options.initialize == "first-use"
        or (plan.obstacle not in (*_OPEN, *_NAMELESS) and not _is_in_python(project, creation, plan))
    ):
        return ()
    if elsewhere is not None or may_run_imported(project, creation.ref.key):
        return ()
    if plan.obstacle in _NAMELESS:
        return tuple(proposals_by_helper(project, creation, fresh))
    spot = spot_of(project, creation, partners, fresh)
    if isinstance(spot, str):
        return ()
    owners = owners_with_readers(project, creation.ref.key, spot.scope, spot.statement.id)
    return tuple(proposals(spot, owners))


def _is_in_python(project: Project, creation: Creation, plan: Plan) -> bool:
    """Whether what is in the way is that code runs in ``tf.py_func``, which may build a graph of its own."""
    return plan.obstacle == "dataset" and not runs_in_graph_function(
        project, creation.ref.key, creation.ref.scope
    )


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
