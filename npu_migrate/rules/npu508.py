"""
## What it does

Finds steps given to Rec SDK's `init` that are not those of the training in the same program.

With an Estimator:

- `max_steps` is not the `max_steps` of `estimator.train()` or `TrainSpec`;
- `save_steps` is not the `save_checkpoints_steps` of `NPURunConfig` (100 if it says nothing);
- with `train_and_evaluate` also: `train_steps` is not `save_steps`, or `eval_steps` is not the `steps` of
  `EvalSpec` (100 if it says nothing).

With `session.run`:

- `max_steps` is not the number of turns of the training loop;
- `train_steps` or `save_steps` is not the K of the `if i % K == 0:` that evaluates or saves there;
- `eval_steps` is not the number of turns of the evaluation loop.

A loop counts only if its number of turns is certain and no steps are offloaded to the device. -1, which
stands for "until the data is used up", is not compared (see NPU509 for Estimators).

## Why

Rec SDK reads its data ahead in its own pipeline and counts the steps there. If it counts other steps than
the training does, the two wait for each other, or the training goes on with wrong embeddings.

## Example

```python
import tensorflow as tf
from mx_rec.util.initialize import init
from npu_bridge.npu_init import *
from model import input_fn, model_fn

init(max_steps=1000, train_steps=-1, eval_steps=-1, save_steps=200)
config = NPURunConfig(model_dir="model", save_checkpoints_steps=100)
estimator = NPUEstimator(model_fn=model_fn, config=config)
estimator.train(input_fn=input_fn, max_steps=1000)
```

## Use instead

```python
import tensorflow as tf
from mx_rec.util.initialize import init
from npu_bridge.npu_init import *
from model import input_fn, model_fn

init(max_steps=1000, train_steps=-1, eval_steps=-1, save_steps=100)
config = NPURunConfig(model_dir="model", save_checkpoints_steps=100)
estimator = NPUEstimator(model_fn=model_fn, config=config)
estimator.train(input_fn=input_fn, max_steps=1000)
```

## Fix safety

Unsafe: it gives `init` the value of the training, assuming that the training is right. No edit where that
value is only a default and has no name that `init` can use.

## Sources

SEED-REC.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Applicability, Finding, Related, Rewrite, Severity
from npu_migrate.intents import ReplaceExpression
from npu_migrate.knowledge import rec
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.rec import (
    SAVE_STEPS,
    STEPS,
    is_judged,
    reasons,
    source_of_steps,
    value_place,
    wanted_steps,
)
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, lowered_for, telling
from npu_migrate.semantics.values.value import describe, is_integer, location, telling_step
from npu_migrate.training.rec.init_calls import Passed, init_calls, passed
from npu_migrate.training.rec.steps import Count

CODE = "NPU508"
TITLE = "Set {name} to {code}"
MESSAGE = "init() is told {given}, but the training has {wanted}"
SAME_CALL = "init() is told {given}, but also {wanted}: with train_and_evaluate the two must be equal"
WHERE = "{wanted} (in {place})"
TRAINING_HERE = "in the training: {name}"
CALL_HERE = "in the same call: {name}"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per number of steps that differs from the training's."""
    for call in init_calls(project):
        for name in STEPS:
            given = passed(project, call, name)
            if given is not None:
                place = value_place(call, given)
                judge = partial(_judge, project, call, name)
                yield from judged(
                    project, CODE, place, judge, _rewrite(project, call, name, given), asked=call.key
                )


def _judge(project: Project, call: Ref, name: str, program: str) -> Verdict | None:
    given = passed(project, call, name, program)
    if given is None or not given.value.every(_is_count) or not is_judged(project, name, program):
        return None
    wanted = wanted_steps(project, call, name, program)
    values = {known.constant for count in wanted for known in count.value.alternatives}
    if not wanted or not values.isdisjoint(known.constant for known in given.value.alternatives):
        return None
    count = wanted[0]
    deciding = [telling(given.value), *(telling(other.value) for other in wanted)]
    text, here = (SAME_CALL, CALL_HERE) if count.name == SAVE_STEPS else (MESSAGE, TRAINING_HERE)
    message = text.format(given=describe(project, name, deciding[0]), wanted=_described(project, count))
    places = tuple(Related(one.given.place, here.format(name=one.name)) for one in wanted)
    severity = lowered_for(Severity.ERROR, deciding)
    return Verdict(severity, message, (*places, *reasons(deciding[0], deciding[1])))


def _is_count(value: object) -> bool:
    return is_integer(value) and value != rec.UNSET_STEPS


def _described(project: Project, count: Count) -> str:
    known = telling(count.value)
    text = describe(project, count.name, known)
    if telling_step(known) is not None:
        return text
    return WHERE.format(wanted=text, place=location(project, count.given.place))


def _rewrite(project: Project, call: Ref, name: str, given: Passed) -> Rewrite | None:
    code = source_of_steps(project, call, name)
    if code is None or given.given is None:
        return None
    title = TITLE.format(name=name, code=code)
    return Rewrite(Applicability.UNSAFE, title, (ReplaceExpression(given.given.place, code),))


RULE = Rule(
    code=CODE,
    name="rec-steps-mismatch",
    summary="Steps given to Rec SDK's `init` that are not those of the training.",
    severity="error",
    fix="unsafe",
    sources=("SEED-REC",),
    documentation=__doc__ or "",
    check=check,
)
