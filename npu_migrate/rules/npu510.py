"""
## What it does

Finds Rec SDK programs that call `tf.estimator.train_and_evaluate` in a loop, or in a function that is called
from one.

## Why

Rec SDK supports one round of `train_and_evaluate` per process: its data pipelines for training and for
evaluation are not opened a second time.

## Example

```python
import tensorflow as tf
from mx_rec.util.initialize import init
from model import estimator, eval_spec, train_spec

init(max_steps=1000, train_steps=100, eval_steps=10, save_steps=100)
for _ in range(3):
    tf.estimator.train_and_evaluate(estimator, train_spec, eval_spec)
```

## Use instead

```python
import tensorflow as tf
from mx_rec.util.initialize import init
from model import estimator, eval_spec, train_spec

init(max_steps=1000, train_steps=100, eval_steps=10, save_steps=100)
tf.estimator.train_and_evaluate(estimator, train_spec, eval_spec)
```

`train_and_evaluate` evaluates at every checkpoint by itself. For more rounds, start the program again.

## Fix safety

No edit: what the rounds are for is not known.

## Sources

SEED-REC.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Finding, Severity
from npu_migrate.project.project import Project
from npu_migrate.rules.rec import call_place
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged
from npu_migrate.training.npu.configs import calls_of
from npu_migrate.training.npu.trainings import TRAIN_AND_EVALUATE, runs_repeatedly
from npu_migrate.training.rec.counted_loops import is_left_after
from npu_migrate.training.rec.init_calls import init_calls_of

CODE = "NPU510"
MESSAGE = "Rec SDK supports one round of train_and_evaluate, but this call runs in a loop"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per `train_and_evaluate` in a loop."""
    for call in calls_of(project, TRAIN_AND_EVALUATE):
        if runs_repeatedly(project, call) and not is_left_after(project, call):
            yield from judged(project, CODE, call_place(call), partial(_judge, project), asked=call.key)


def _judge(project: Project, program: str) -> Verdict | None:
    return Verdict(Severity.WARNING, MESSAGE) if init_calls_of(project, program) else None


RULE = Rule(
    code=CODE,
    name="rec-multi-round-evaluation",
    summary="A Rec SDK program that calls `train_and_evaluate` in a loop.",
    severity="warning",
    fix="manual",
    sources=("SEED-REC",),
    documentation=__doc__ or "",
    check=check,
)
