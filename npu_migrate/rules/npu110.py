"""
## What it does

Finds an iterator's initializer in the `init_op` of a `Scaffold`, a `Supervisor`, `slim.learning.train` or
`SessionManager.prepare_session`, in a program that gives the session a checkpoint folder.

## Why

The `init_op` initializes variables, so it does not run when a checkpoint is restored. The first start of the
program trains; the second one, from the same folder, fails with `FailedPreconditionError` at its first step.
This is so in plain TensorFlow too; on the NPU, long jobs are started again more often.

## Example

```python
scaffold = tf.train.Scaffold(init_op=tf.group(tf.global_variables_initializer(), iterator.initializer))
with tf.train.MonitoredTrainingSession(checkpoint_dir="model", scaffold=scaffold) as sess:
    sess.run(train_op)
```

## Use instead

```python
tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
scaffold = tf.train.Scaffold(init_op=tf.group(tf.global_variables_initializer()))
with tf.train.MonitoredTrainingSession(checkpoint_dir="model", scaffold=scaffold) as sess:
    sess.run(train_op)
```

## Fix safety

Safe: what is registered in `TABLE_INITIALIZERS` runs at each start, with the default local init op. No edit
where the program has a `local_init_op` of its own that leaves the tables out, an `init_fn` that would run
before it, a dataset that needs a `feed_dict`, or where the initializer is the whole `init_op`.

## Sources

TensorFlow 1.15 `session_manager.SessionManager.prepare_session` [TF].
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Applicability, Finding, Related, Rewrite, Severity
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.initialization import APART
from npu_migrate.rules.rule import Rule
from npu_migrate.training.pipelines.partition.checkpoints import checkpoint_folder
from npu_migrate.training.pipelines.partition.executions import Execution, executions
from npu_migrate.training.pipelines.partition.joined import Joined
from npu_migrate.training.pipelines.partition.op_parts import Kind, Part, alternatives
from npu_migrate.training.pipelines.placement.splitting import Split, split

TITLE = "Register the iterator's initializer instead"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per iterator's initializer that a restored session leaves out."""
    seen: set[int] = set()
    for execution in executions(project):
        folder = checkpoint_folder(project, execution) if execution.kind == "init_op" else None
        for parts in alternatives(project, execution.op) if folder is not None else ():
            data = tuple(part for part in parts if part.kind is Kind.ITERATOR)
            for part in data:
                place = part.item or part.leaf
                if id(place.expr) not in seen and place.key in project.targets and folder is not None:
                    seen.add(id(place.expr))
                    yield _finding(project, execution, parts, place, folder)


def _finding(
    project: Project, execution: Execution, parts: tuple[Part, ...], place: Ref, folder: Ref
) -> Finding:
    data = tuple(part for part in parts if part.kind in (Kind.ITERATOR, Kind.TABLES))
    apart = split(project, Joined(execution, parts, data, ()))
    return Finding(
        "NPU110",
        Severity.ERROR,
        _message(apart),
        place.place,
        (Related(folder.place, "a checkpoint is restored from this folder"),),
        None if isinstance(apart, str) else Rewrite(Applicability.SAFE, TITLE, apart),
        project.programs_of(execution.call.key),
    )


def _message(apart: Split) -> str:
    head = (
        "the init_op does not run when a checkpoint is restored: at the second start this iterator is not "
        "initialized"
    )
    return f"{head}; initialize it at each start: {APART[apart]}" if isinstance(apart, str) else head


RULE = Rule(
    code="NPU110",
    name="initializer-lost-on-restore",
    summary="An iterator's initializer in an init_op, which a restored checkpoint leaves out.",
    severity="error",
    fix="safe where the default local init op can run it, else manual",
    sources=("TF",),
    documentation=__doc__ or "",
    check=check,
)
