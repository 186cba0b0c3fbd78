"""
## What it does

Finds a global step that is assigned beside the update of an `NPULossScaleOptimizer`: in one `tf.group`, one
`session.run` or one `train_op`, while the update itself gets no `global_step`.

## Why

The optimizer skips the update where gradients have overflowed, and counts the step only when it is done. A
counter that is assigned beside it also counts the skipped steps. Learning rates that depend on the step fall
too early, and training ends before all its steps are done.

## Example

```python
optimizer = NPULossScaleOptimizer(tf.train.AdamOptimizer(), manager)
update = optimizer.minimize(loss)
train_op = tf.group(update, global_step.assign_add(1))
```

## Use instead

```python
optimizer = NPULossScaleOptimizer(tf.train.AdamOptimizer(), manager)
update = optimizer.minimize(loss, global_step=global_step)
train_op = tf.group(update)
```

## Fix safety

Unsafe: the step then advances by 1 with each update that is done, whatever was assigned before. No edit where
the assignment stands in no `tf.group`, or the step has no name that the update can use.

## Sources

DOC-MIXP; CODE:npu_loss_scale_optimizer.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Applicability, Finding, Related, Rewrite, Severity
from npu_migrate.index.facts import Call
from npu_migrate.project.project import Project
from npu_migrate.rules.offload import one_per_place
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.training.loss_scaling.counted_beside import (
    CountedBeside,
    counted_beside,
    moved_into_update,
)

CODE = "NPU406"
TITLE = "Let the optimizer count the steps"
MESSAGE = (
    "this counts the step also where NPULossScaleOptimizer skips it because of an overflow: give the step to "
    "the optimizer's call as global_step"
)
UPDATE = "the update, without global_step"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per assignment of the step beside an update."""
    return one_per_place(
        finding for found in counted_beside(project) for finding in _findings(project, found)
    )


def _findings(project: Project, found: CountedBeside) -> Iterator[Finding]:
    leaf = found.assign.leaf
    if leaf.key not in project.targets:
        return
    assert isinstance(leaf.expr, Call)
    intents = moved_into_update(project, found)
    rewrite = None if intents is None else Rewrite(Applicability.UNSAFE, TITLE, intents)
    related = (Related(found.update.leaf.place, UPDATE),)
    place = last_token(leaf.key, leaf.expr.func)
    programs = project.programs_of(leaf.key)
    yield Finding(CODE, Severity.WARNING, MESSAGE, place, related, rewrite, programs)


RULE = Rule(
    code=CODE,
    name="step-counted-outside-optimizer",
    summary="The global step is counted beside an optimizer that skips steps.",
    severity="warning",
    fix="unsafe in a tf.group, else manual",
    sources=("DOC-MIXP", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
