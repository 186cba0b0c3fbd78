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

Safe where the op initializes nothing but local variables that start at 0: it still does what it did, and the
tables with it. An op that assigns anything else must not run together with an iterator's initializer: on the
NPU, what is assigned in that run is 0. Then the registered initializers run by themselves, in the session
that the Supervisor opens. Where there is no such session, as with `MonitoredTrainingSession`, there is no
edit: run the initializer in a hook's `after_create_session`. There is no finding for an op whose making
cannot be seen.

## Sources

TensorFlow 1.15 `monitored_session.Scaffold.default_local_init_op` [TF];
FAQ:variable_preprocess_init_subgraph_error_fix.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Applicability, Finding, Related, Rewrite, Severity
from npu_migrate.intents import Intent
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.rule import Rule
from npu_migrate.training.pipelines.local_init import (
    local_init_arguments,
    sessions_with,
    visible_without_tables,
)
from npu_migrate.training.pipelines.placement.local_init_steps import (
    assigns_only_zeros,
    local_init_step,
    runs_collection,
)
from npu_migrate.training.pipelines.registration import registrations

TITLE = "Add tf.tables_initializer() to the local init op"
TITLE_APART = "Run the registered initializers in the session"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per local init op that bypasses registered initializers."""
    registered = registrations(project)
    # To find the calls that take such an op is dear, and most programs register nothing.
    for call, value in local_init_arguments(project) if registered else ():
        if value.key not in project.targets:
            continue
        programs = set(project.programs_of(value.key))
        here = [ref for ref in registered if programs & set(project.programs_of(ref.key))]
        if not here or not visible_without_tables(project, value):
            continue
        if runs_collection(project, call):
            continue
        rewrite = _rewrite(project, call, value)
        shared = programs & {program for ref in here for program in project.programs_of(ref.key)}
        yield Finding(
            "NPU103",
            Severity.ERROR,
            _message(rewrite),
            value.place,
            tuple(Related(ref.place, "an initializer is registered here") for ref in here[:3]),
            rewrite,
            tuple(sorted(shared)),
        )


def _rewrite(project: Project, call: Ref, value: Ref) -> Rewrite | None:
    """The tables beside local variables that start at 0, else by themselves in each of the sessions."""
    if assigns_only_zeros(project, value):
        steps = local_init_step(project, None, value)
        return Rewrite(Applicability.SAFE, TITLE, tuple(steps)) if isinstance(steps, list) else None
    intents: list[Intent] = []
    for session in sessions_with(project, call):
        steps = local_init_step(project, session, value)
        if not isinstance(steps, list):
            return None
        intents.extend(steps)
    return Rewrite(Applicability.SAFE, TITLE_APART, tuple(intents)) if intents else None


def _message(rewrite: Rewrite | None) -> str:
    head = (
        "this local init op replaces the default that runs tf.tables_initializer(): "
        "the registered initializers never run"
    )
    if rewrite is None:
        return (
            f"{head}; what it assigns would be 0 on the NPU if an iterator were initialized in the same run: "
            "run the iterator's initializer by itself, such as in a hook's after_create_session"
        )
    return head


RULE = Rule(
    code="NPU103",
    name="local-init-bypasses-iterators",
    summary="A local_init_op of one's own that leaves registered initializers out.",
    severity="error",
    fix="safe where the op initializes nothing but zeros or the session is a Supervisor's, else manual",
    sources=("TF", "FAQ"),
    documentation=__doc__ or "",
    check=check,
)
