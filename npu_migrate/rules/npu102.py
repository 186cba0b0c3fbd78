"""
## What it does

Finds initializable iterators whose initializer nobody runs: no alias of the iterator has its `.initializer`
read or registered, and the iterator is not handed to code that cannot be seen. A run in sight has to fetch
its elements: there is no finding for a test that only looks at shapes, or for a string handle that nobody
feeds. Where a program can be followed to its end, what its run shows decides.

Also finds iterators whose initializer is registered in `TABLE_INITIALIZERS` and nothing else, where only
plain sessions run the pipeline and the program never runs `tf.tables_initializer()`.

## Why

The first `sess.run` that needs the iterator fails with `FailedPreconditionError`. This is what remains when
`make_one_shot_iterator` was only renamed.

## Example

```python
iterator = dataset.make_initializable_iterator()
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

## Fix safety

As for NPU101: safe where the project shows which session runs the pipeline, unsafe where not all of them are
in sight. Manual where the dataset stands on a placeholder: the initializer needs its `feed_dict` then.

## Sources

SEED-ITER; DOC-ITER.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Finding, Rewrite, Severity
from npu_migrate.project.project import Project
from npu_migrate.rules import first_use
from npu_migrate.rules.initialization import (
    OBSTACLES,
    TITLE_DATASET,
    Assumption,
    Planned,
    assumption,
    plan_all,
)
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.training.pipelines.eager import is_eager
from npu_migrate.training.pipelines.handled import is_left_uninitialized
from npu_migrate.training.pipelines.iterators import Creation, initializable_creations
from npu_migrate.training.pipelines.owners import FindOwners
from npu_migrate.training.pipelines.placement.fetching import is_fetched
from npu_migrate.training.pipelines.placement.half_registered import is_only_registered
from npu_migrate.training.pipelines.placement.spot import Plan
from npu_migrate.training.reading.other_readers import owners_with_readers
from npu_migrate.training.rec.programs import modifies_graph

TITLE = "Run the iterator's initializer"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per initializable iterator that is never initialized."""
    for key in sorted(project.ours & project.targets):
        yield from check_file(project, key, owners_with_readers)


def check_file(project: Project, key: str, find_owners: FindOwners) -> Iterator[Finding]:
    """Yields the findings of one file; their fixes initialize the iterators in the sessions of owners."""
    facts = project.facts(key)
    if facts is None or modifies_graph(project, key):
        return
    creations = [
        creation
        for creation in initializable_creations(project, key)
        if not is_eager(project, creation.ref) and _is_never_initialized(project, creation)
    ]
    for planned in plan_all(project, facts, creations, find_owners):
        assumed = assumption(project, planned)
        yield Finding(
            "NPU102",
            Severity.ERROR,
            _message(planned.plan, assumed),
            last_token(key, planned.creation.call.func),
            assumed.related,
            rewrite=_rewrite(planned),
            programs=project.programs_of(key),
        )


def _is_never_initialized(project: Project, creation: Creation) -> bool:
    left = is_left_uninitialized(project, creation) or is_only_registered(project, creation)
    return left and is_fetched(project, creation)


def _rewrite(planned: Planned) -> Rewrite | None:
    plan = planned.plan
    if plan.obstacle:
        return None
    title = TITLE_DATASET if plan.returns_dataset else first_use.TITLE if plan.on_first_use else TITLE
    return Rewrite(plan.applicability, title, plan.intents)


def _message(plan: Plan, assumed: Assumption) -> str:
    head = "the initializer of this iterator never runs: FailedPreconditionError at the first sess.run"
    tail = OBSTACLES[plan.obstacle] if plan.obstacle else assumed.text
    return f"{head}; {tail}" if tail else head


RULE = Rule(
    code="NPU102",
    name="uninitialized-iterator",
    summary="An initializable iterator whose initializer nobody runs.",
    severity="error",
    fix="safe where the session is known, else unsafe or manual",
    sources=("SEED-ITER", "DOC-ITER"),
    documentation=__doc__ or "",
    check=check,
    check_file=check_file,
)
