"""
## What it does

Finds a looped operation that is built and never run, while the operation it was made of is run itself.

## Why

`set_iteration_per_loop` and `create_iteration_per_loop_var` change nothing about the operation they get. They
return another one, which stands for N steps on the device. As long as the first one is run, each
`session.run` does a single step, and the time that iteration offload saves is not saved.

## Example

```python
with tf.Session(config=config) as sess:
    util.set_iteration_per_loop(sess, train_op, 10)
    for _ in range(100):
        sess.run(train_op)
```

## Use instead

```python
with tf.Session(config=config) as sess:
    train_op = util.set_iteration_per_loop(sess, train_op, 10)
    for _ in range(100 // 10):
        sess.run(train_op)
```

## Fix safety

No edit: each run then takes N steps, and everything that counts runs has to follow.

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
from npu_migrate.training.npu.looped_ops import is_dropped, looped_op, runs_itself

CODE = "NPU211"
MESSAGE = (
    "{n}: the operation that this returns does the steps in one run, but nobody runs it; the one that it was "
    "made of is run instead, one step at a time"
)
RUN_HERE = "the operation itself is run here"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per looped operation that nobody runs."""
    for part in loop_parts(project):
        op = looped_op(part)
        run = runs_itself(project, op) if op is not None and is_dropped(project, part) else None
        if run is not None:
            yield from judged_part(project, CODE, part, MESSAGE, Related(run.place, RUN_HERE))


RULE = Rule(
    code=CODE,
    name="looped-op-not-run",
    summary="The looped operation is built and never run.",
    severity="error",
    fix="manual",
    sources=("DOC-ITER", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
