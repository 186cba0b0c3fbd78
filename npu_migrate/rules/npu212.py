"""
## What it does

Finds `set_iteration_per_loop` inside the training loop, so that every turn builds the looped operation anew.

## Why

The function adds variables and operations to the graph. In a loop the graph grows with each turn, and a graph
that has changed is compiled for the device again, which takes longer than the steps that are to be saved.

## Example

```python
with tf.Session(config=config) as sess:
    for _ in range(100):
        sess.run(util.set_iteration_per_loop(sess, train_op, 10))
```

## Use instead

```python
with tf.Session(config=config) as sess:
    train_op = util.set_iteration_per_loop(sess, train_op, 10)
    for _ in range(100):
        sess.run(train_op)
```

A loop that makes a session or the operation of its own in each turn is no finding, nor is a call below an
`if` whose condition may change from turn to turn.

## Fix safety

No edit: whether the value of N may differ from turn to turn is for you to say. If it has to,
`load_iteration_per_loop_var` sets it without changing the graph.

## Sources

DOC-ITER; CODE:util.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Finding, Related
from npu_migrate.project.project import Project
from npu_migrate.rules.offload import judged_part
from npu_migrate.rules.rule import Rule
from npu_migrate.training.npu.device_loop import loop_parts
from npu_migrate.training.npu.looped_ops import loop_around

CODE = "NPU212"
MESSAGE = (
    "each turn of this loop builds the looped operation of {n} again: the graph grows, and the device "
    "compiles it anew; build it once before the loop"
)
LOOP = "the loop"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per looped operation that a loop builds again and again."""
    for part in loop_parts(project):
        loop = loop_around(project, part)
        if loop is not None:
            yield from judged_part(project, CODE, part, MESSAGE, Related(loop.place, LOOP))


RULE = Rule(
    code=CODE,
    name="loop-built-repeatedly",
    summary="The looped operation is built again in each turn of the training loop.",
    severity="error",
    fix="manual",
    sources=("DOC-ITER", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
