"""
## What it does

Finds a `local_init_op` given to a `Scaffold`, a `Supervisor` or `slim.learning.train` that does not contain
`tf.tables_initializer()`, in a program that registers initializers in the collection `TABLE_INITIALIZERS`.

## Why

Managed sessions initialize that collection with their default local init op. A `local_init_op` of your own
replaces the default, so the registered iterators and tables are never initialized.

## Example

```python
tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
scaffold = tf.train.Scaffold(local_init_op=tf.local_variables_initializer())
```

## Use instead

```python
tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
scaffold = tf.train.Scaffold(
    local_init_op=tf.group(tf.local_variables_initializer(), tf.tables_initializer()))
```

## Fix safety

Safe: the op still does what it did, and the tables with it. There is no finding for an op whose making cannot
be seen.

## Sources

TensorFlow 1.15 `monitored_session.Scaffold.default_local_init_op` [TF].
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Applicability, Finding, Related, Rewrite, Severity
from npu_migrate.intents import WrapExpression
from npu_migrate.project.project import Project
from npu_migrate.rules.rule import Rule
from npu_migrate.training.pipelines.local_init import local_init_arguments, visible_without_tables
from npu_migrate.training.pipelines.placement.spelling import tensorflow_spelling
from npu_migrate.training.pipelines.registration import registrations

TITLE = "Add tf.tables_initializer() to the local init op"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per local init op that bypasses registered initializers."""
    registered = registrations(project)
    for _, value in local_init_arguments(project):
        if value.key not in project.targets:
            continue
        programs = set(project.programs_of(value.key))
        here = [ref for ref in registered if programs & set(project.programs_of(ref.key))]
        if not here or not visible_without_tables(project, value):
            continue
        facts = project.facts(value.key)
        assert facts is not None
        spelling = tensorflow_spelling(project, facts, value.scope)
        rewrite = None
        if spelling is not None:
            wrap = WrapExpression(value.place, f"{spelling}.group(", f", {spelling}.tables_initializer())")
            rewrite = Rewrite(Applicability.SAFE, TITLE, (wrap,))
        shared = programs & {program for ref in here for program in project.programs_of(ref.key)}
        yield Finding(
            "NPU103",
            Severity.ERROR,
            "this local init op replaces the default that runs tf.tables_initializer(): "
            "the registered initializers never run",
            value.place,
            tuple(Related(ref.place, "an initializer is registered here") for ref in here[:3]),
            rewrite,
            tuple(sorted(shared)),
        )


RULE = Rule(
    code="NPU103",
    name="local-init-bypasses-iterators",
    summary="A local_init_op of one's own that leaves registered initializers out.",
    severity="error",
    fix="safe",
    sources=("TF",),
    documentation=__doc__ or "",
    check=check,
)
