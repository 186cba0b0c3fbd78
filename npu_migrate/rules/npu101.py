"""
## What it does

Finds every creation of a one-shot iterator in graph code, in any spelling: the method of a dataset, the
functions in `tf.data`, `tf.compat.v1.data` and TensorFlow's private modules, the raw op. The fix makes it an
initializable iterator **and** gets its initializer run.

## Why

On the NPU, `iterations_per_loop` > 1 runs several training steps per `sess.run`. The runtime refuses this
with a one-shot iterator and aborts: "iterator_per_loop only support 1 when using OneShotIterator". With
`iterations_per_loop` = 1 the script runs, but the offload of data preprocessing has no effect.

With `port`, iterators stay as they are in tests, and where every session that runs them is seen and stays on
the CPU.

Renaming the call is not enough: an initializable iterator that nobody initializes fails with
`FailedPreconditionError`.

## Example

```python
iterator = dataset.make_one_shot_iterator()
features = iterator.get_next()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(features)
```

## Use instead

```python
iterator = dataset.make_initializable_iterator()
features = iterator.get_next()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(iterator.initializer)
    sess.run(features)
```

Where the session cannot read the iterator, the fix registers the initializer instead:
`tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)`. Estimators, monitored sessions
and supervisors run that collection by themselves; other sessions get
`sess.run(tf.tables_initializer())`. An input function of an Estimator that only returns `get_next()` returns
its dataset instead.

## Severity

An error where an `iterations_per_loop` > 1 reaches, or may reach, a session or Estimator that runs the
pipeline. A warning where the program trains with 1, or nothing is known of it. Advice (info) where every
session that can run the pipeline is seen and none of them trains, as in unit tests, dataset tools, and
evaluation by plain sessions: they are not looped.

## Initialize on first use

With `initialize = "first-use"` in the settings, or `--initialize first-use`, the fix makes the iterator by a
small module, which it adds to the project, and changes no other line:

```python
import first_use_iterator

iterator = first_use_iterator.make(dataset)
features = iterator.get_next()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(features)
```

Each session runs the initializer before its first run that depends on the iterator, in a run of its own. So
nobody has to know which session that is. An explicit initializer is what people write and read; first use
is what always holds. `explicit-then-first-use` takes the second only where the first is not safe. The page
on configuration says more, under "Initialization of iterators".

## Fix safety

Safe where the project shows which session runs the pipeline. Unsafe where no session is in sight: then the
message says what the caller has to run. Unsafe too where the program imports a graph that it has exported, or
that it runs by the names of its ops: the pipeline may run there.

Unsafe too where the program saves its graph, and another script may import it and run the pipeline there
(`import_meta_graph`, `import_graph_def`, saved models): that script would have to run the initializer as
well. Scripts count that lie in or around the same folder, or share code. One that reads another file, runs
nothing, or feeds all that it runs while nothing in the graph stands on the iterator, does no harm.

Where none of this is certain, other places for the initializer are tried: where code that has a session calls
for the pipeline, behind the opening of the session, right behind the iterator. An iterator that can get no
name (inside a comprehension, a lambda or a conditional expression) is made by a function that the fix adds to
the file, `make_registered_iterator`. Such a fix is offered only if an abstract run of the edited program
bears it out, on every path. There is no edit where the abstract run shows that the program would fail with
it, whatever is assumed: the message has the error, and the finding the way to it.

The NPU leaves a run that initializes an iterator to the host, and variables that are assigned in it are 0 on
the device (NPU108). So the fix gives the initializer a run of its own. Where the program runs
`tf.tables_initializer()` together with variables, the same fix takes it out of that run. Where this cannot be
done, there is no edit, and the message says why. Tensors that only a Keras model reads are initialized by
`tf.keras.backend.get_session().run(iterator.initializer)`: Keras runs no table initializers.

Else there is no edit where the iterator has no statement of its own. There is none inside `Dataset.map` and
`tf.cond` functions, through `getattr` or `operator.methodcaller`, where the method is only taken, to be
called elsewhere, for the raw op, for an iterator that a Keras model gets itself (TensorFlow 1.15 takes the
dataset there), and in Rec SDK programs that modify the graph: there `get_initializer(True)` and
`get_initializer(False)` give the initializers.

Unsafe too where the program sees what the fix adds: where it lists the variables of a function that gets one
more (`locals()`, `vars()`, `dir()`, `exec`), looks into the collection of table initializers, lists or counts
the ops of its graph, or where the session is an object of a class of its own whose `run` does more than run,
such as count, or where it replaces the `run` of TensorFlow's sessions (`tf.Session.run = counted`,
`mock.patch.object(tf.Session, "run")`).

With a graph-level seed (`tf.set_random_seed`, or `tf_random_seed` of a `RunConfig`), numbers drawn from ops
without a seed of their own depend on how many ops the graph has. The fix adds ops, so these numbers change:
they are others of the same distribution, and the training starts from other first values. The fix stays safe,
and the finding names the place of the seed. Ops with a seed of their own are not affected.

The NPU does not offload iterators that are read through a string handle.

## Sources

SEED-ITER; CODE:`tf_adapter/optimizers/om_partition_subgraphs_pass.cc`;
CODE:`tf_adapter/optimizers/dp_tf_to_ge_conversion_pass.cc`; DOC-ITER.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from npu_migrate.findings import Applicability, Finding, Related, Rewrite, Severity
from npu_migrate.index.facts import NOTHING, Call, FileFacts, Name, last_name
from npu_migrate.index.names import code_scope, lookup
from npu_migrate.index.syntax import Site
from npu_migrate.intents import Intent, Rename
from npu_migrate.knowledge import npu
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules import first_use
from npu_migrate.rules.initialization import (
    OBSTACLES,
    TITLE_DATASET,
    Assumption,
    Planned,
    assumption,
    plan_all,
    proposed_plans,
    seed_note,
    with_importers,
    with_watchers,
)
from npu_migrate.rules.places import last_token
from npu_migrate.rules.porting import is_test_that_stays
from npu_migrate.rules.rule import Proposed, Rule
from npu_migrate.rules.weighing import lowered_for
from npu_migrate.semantics.values.value import describe, related
from npu_migrate.training.npu.pipeline_n import pipeline_n, plain_sessions
from npu_migrate.training.pipelines.graph_code import is_graph_code
from npu_migrate.training.pipelines.iterators import Creation, one_shot_creations
from npu_migrate.training.pipelines.owners import FindOwners
from npu_migrate.training.pipelines.placement.spot import Plan
from npu_migrate.training.porting.movable import pipeline_stays_on_host
from npu_migrate.training.porting.unrecognized.net import are_seen_not_to_train, trains_unrecognized
from npu_migrate.training.reading.other_readers import owners_with_readers

GENERAL = "when iterations_per_loop is greater than 1"
IDLE = f"{GENERAL}; no session that runs it trains"
TITLE = "Make the iterator initializable and run its initializer"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per one-shot iterator in graph code."""
    for key in sorted(project.ours & project.targets):
        yield from check_file(project, key, owners_with_readers)


def check_file(project: Project, key: str, find_owners: FindOwners) -> Iterator[Finding]:
    """Yields the findings of one file; their fixes initialize the iterators in the sessions of owners."""
    facts = project.facts(key)
    if facts is None:
        return
    planned = _planned(project, facts, find_owners)
    renames = _all_renames(project, facts, planned)
    for item in planned:
        rewrite = _rewrite(item, renames)
        plan = item.plan
        if rewrite is None and not plan.obstacle:
            plan = first_use.instead(project, item.creation, plan, "imported-name")
            if item.elsewhere is not None or item.watcher is not None:
                plan = plan._replace(applicability=Applicability.UNSAFE)
            rewrite = _rewrite(item._replace(plan=plan), renames)
        weight = _weight(project, item.creation, plan)
        assumed = assumption(project, item._replace(plan=plan))
        seeded = seed_note(project, item.creation) if rewrite is not None else Assumption("", ())
        yield Finding(
            "NPU101",
            weight.severity,
            _message(plan, weight.reason, assumed, seeded),
            last_token(facts.key, item.creation.function),
            (*weight.related, *assumed.related, *seeded.related),
            rewrite,
            project.programs_of(facts.key),
        )


def propose(project: Project, key: str) -> Iterator[Proposed]:
    """Yields for each finding of one file what may be tried instead of a fix that is not certain."""
    facts = project.facts(key)
    if facts is None:
        return
    planned = _planned(project, facts, owners_with_readers)
    renames = _all_renames(project, facts, planned)
    for item in planned:
        plans = proposed_plans(project, item)
        tried = (_rewrite(item._replace(plan=one), renames) for one in plans)
        rewrites = tuple(one for one in tried if one is not None)
        if rewrites:
            weight = _weight(project, item.creation, item.plan)
            seeded = seed_note(project, item.creation)
            message = _joined(_head(weight.reason), seeded.text)
            place = last_token(facts.key, item.creation.function)
            yield Proposed(place, message, rewrites, (*weight.related, *seeded.related))


def _planned(project: Project, facts: FileFacts, find_owners: FindOwners) -> Sequence[Planned]:
    creations = [
        one
        for one in one_shot_creations(project, facts.key)
        if is_graph_code(project, one.ref) and not _stays(project, one.ref)
    ]
    if not creations:
        return ()
    plans = (with_importers(project, one) for one in plan_all(project, facts, creations, find_owners))
    return [with_watchers(project, one, find_owners) for one in plans]


def _stays(project: Project, ref: Ref) -> bool:
    """Whether the run moves programs, and the iterator made at `ref` is one of those that stay.

    In a program that trains nobody knows where, only those do whose sessions are seen not to train.
    """
    if not project.options.port:
        return False
    if is_test_that_stays(project, ref):
        return True
    facts = project.facts(ref.key)
    assert facts is not None
    owners = owners_with_readers(project, ref.key, code_scope(facts, ref.scope), ref.statement)
    sessions = plain_sessions(owners)
    if not pipeline_stays_on_host(project, sessions):
        return False
    return not trains_unrecognized(project, ref.key) or are_seen_not_to_train(project, sessions)


Renames = dict[int, tuple[Rename, ...] | None]
"""By identity of the creating call: what to rename; None where an imported name cannot be renamed."""


def _rewrite(planned: Planned, renames: Renames) -> Rewrite | None:
    plan = planned.plan
    if plan.obstacle:
        return None
    if plan.returns_dataset or plan.on_first_use or plan.by_helper:
        title = TITLE_DATASET if plan.returns_dataset else first_use.TITLE if plan.on_first_use else TITLE
        return Rewrite(plan.applicability, title, plan.intents)
    intents: list[Intent] = []
    for item in (planned.creation, *planned.partners):
        rename = renames[id(item.ref.expr)]
        if rename is None:
            return None
        intents.extend(rename)
    return Rewrite(plan.applicability, TITLE, tuple(dict.fromkeys([*intents, *plan.intents])))


def _all_renames(project: Project, facts: FileFacts, planned: Sequence[Planned]) -> Renames:
    result: Renames = {}
    shared: dict[tuple[int, str], list[int]] = {}
    blocked: set[tuple[int, str]] = set()
    for creation, _, plan, *_ in planned:
        func = creation.function
        if not isinstance(func, Name):
            place = Place(facts.key, func.span)
            result[id(creation.ref.expr)] = (Rename(place, tf.ONE_SHOT_METHOD, tf.INITIALIZABLE_METHOD),)
            continue
        found = lookup(facts, creation.ref.scope, func.id)
        group = (found.scope if found is not None else NOTHING, func.id)
        shared.setdefault(group, []).append(id(creation.ref.expr))
        if plan.obstacle or plan.returns_dataset or plan.on_first_use or found is None:
            blocked.add(group)
    for group, calls in shared.items():
        renames = None if group in blocked else _rename_everywhere(project, facts, group, len(calls))
        for call in calls:
            result[call] = renames
    return result


def _rename_everywhere(
    project: Project, facts: FileFacts, group: tuple[int, str], calls: int
) -> tuple[Rename, ...] | None:
    """Renames of the import and of every use of the name it binds; None if some use is not a call."""
    scope, name = group
    renames = []
    for binding in facts.scopes[scope].bindings.get(name, ()):
        if binding.target is None or binding.span is None or binding.target.name != tf.ONE_SHOT_METHOD:
            return None
        place = Place(facts.key, binding.span)
        renames.append(Rename(place, tf.ONE_SHOT_METHOD, tf.INITIALIZABLE_METHOD))
    uses = []
    for site in project.names(facts.key, name):
        found = lookup(facts, site.scope, name)
        if found is not None and found.scope == scope:
            if site.stored or not _is_used_in_call(site):
                return None
            uses.append(site)
    if len(uses) != calls:
        return None
    if name == tf.ONE_SHOT_METHOD:
        for site in uses:
            renames.append(Rename(Place(facts.key, site.expr.span), name, tf.INITIALIZABLE_METHOD))
    return tuple(renames)


def _is_used_in_call(site: Site) -> bool:
    """Whether a function is called, or given to ``map``."""
    call = site.parent
    if not isinstance(call, Call):
        return False
    return call.func is site.expr or (last_name(call.func) == "map" and site.expr in call.args)


class _Weight(NamedTuple):
    """How bad one iterator is, and the words for it."""

    severity: Severity
    related: tuple[Related, ...]
    reason: str


def _weight(project: Project, creation: Creation, plan: Plan) -> _Weight:
    """Error where some N > 1 may reach a session that runs the pipeline, lowered where N is only a default;
    advice where every session that runs it is seen, and none of them trains."""
    ref = creation.ref
    facts = project.facts(ref.key)
    assert facts is not None
    owners = owners_with_readers(project, ref.key, code_scope(facts, ref.scope), ref.statement)
    largest, idle = pipeline_n(project, ref.key, owners)
    if largest is None:
        if idle and (plan.obstacle or plan.applicability is Applicability.SAFE):
            return _Weight(Severity.INFO, (), IDLE)
        return _Weight(Severity.WARNING, (), GENERAL)
    reason = describe(project, npu.ITERATIONS_PER_LOOP, largest.known)
    places = (Related(largest.place.place, reason), *related(largest.known))
    return _Weight(lowered_for(Severity.ERROR, [largest.known]), places, f"because {reason}")


def _message(plan: Plan, reason: str, assumed: Assumption, seeded: Assumption) -> str:
    tail = OBSTACLES[plan.obstacle] if plan.obstacle else assumed.text
    return _joined(_head(reason), tail, seeded.text)


def _joined(*parts: str) -> str:
    return "; ".join(filter(None, parts))


def _head(reason: str) -> str:
    return f"one-shot iterator: aborts on the NPU {reason}"


RULE = Rule(
    code="NPU101",
    name="one-shot-iterator",
    summary="A one-shot iterator in graph code.",
    severity="error if iterations_per_loop > 1 may reach it, info if nothing trains with it, else warning",
    fix="safe where the session is known, else unsafe or manual",
    sources=("SEED-ITER", "DOC-ITER", "CODE"),
    documentation=__doc__ or "",
    check=check,
    check_file=check_file,
    propose=propose,
)
