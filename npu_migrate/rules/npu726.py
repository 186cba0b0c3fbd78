"""
## What it does

With `--port`, finds queues that training reads from: `string_input_producer`, `slice_input_producer`,
`tf.train.batch` and the functions like them.

Without `--port`, and where `iterations_per_loop` is greater than 1, NPU107 speaks of them.

## Why

The documents allow datasets and placeholders as input on the NPU, and no queues. Models that kept their
queues have been published, and nobody says how well they run. `tf.train.batch` has to read with one thread.

## Example

```python
names = tf.train.string_input_producer(files)
_, row = tf.TextLineReader().read(names)
rows = tf.train.batch([row], batch_size=32)
```

## Use instead

```python
dataset = tf.data.TextLineDataset(files).repeat().batch(32, drop_remainder=True)
rows = dataset.make_initializable_iterator().get_next()
```

## Fix safety

There is no edit: the input has to be written anew.

## Sources

DOC-RESTR; OPS:tf_train_batch_manual_port.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Finding, Severity
from npu_migrate.index.facts import Call
from npu_migrate.project.project import Project
from npu_migrate.rules.places import last_token
from npu_migrate.rules.porting import is_test_that_stays
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, telling
from npu_migrate.semantics.values.value import related
from npu_migrate.training.porting.features.found import Found
from npu_migrate.training.porting.features.queues import kept_queues, queues, read_in_training

CODE = "NPU726"
MESSAGE = "the training reads from queues, but on the NPU only tf.data and placeholders are supported"
THREADS = "{message}; with queues, tf.train.batch has to read with 1 thread, and num_threads is {value}"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per queue."""
    for queue in (*queues(project), *kept_queues(project)) if project.options.port else ():
        if not is_test_that_stays(project, queue.ref):
            expr = queue.ref.expr
            place = last_token(queue.ref.key, expr.func if isinstance(expr, Call) else expr)
            yield from judged(project, CODE, place, partial(_judge, project, queue))


def _judge(project: Project, queue: Found, program: str) -> Verdict | None:
    read = read_in_training(project, queue, program)
    if read is None or read.n:
        return None
    if read.threads is None:
        return Verdict(Severity.WARNING, MESSAGE)
    threads = telling(read.threads)
    return Verdict(
        Severity.WARNING, THREADS.format(message=MESSAGE, value=threads.constant), related(threads)
    )


RULE = Rule(
    code=CODE,
    name="queue-input",
    summary="Training that reads from queues, in a program that is to be moved.",
    severity="warning",
    fix="manual",
    sources=("DOC-RESTR", "OPS"),
    documentation=__doc__ or "",
    check=check,
)
