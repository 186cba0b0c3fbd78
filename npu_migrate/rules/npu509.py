"""
## What it does

Finds programs that train an Estimator under Rec SDK without telling `init` the steps: `max_steps` or
`save_steps` is left out or -1. With `train_and_evaluate` the same goes for `train_steps` and `eval_steps`.

`save_steps` (and `train_steps`) is not asked for where `NPURunConfig` saves by the clock.

## Why

-1 is the default of `init` and stands for "until the data is used up". That works for a loop around
`session.run` only: an Estimator counts its steps itself, and Rec SDK has to count the same ones.

## Example

```python
from mx_rec.util.initialize import init
from npu_bridge.npu_init import *
from model import input_fn, model_fn

init(max_steps=1000)
config = NPURunConfig(model_dir="model", save_checkpoints_steps=100)
estimator = NPUEstimator(model_fn=model_fn, config=config)
estimator.train(input_fn=input_fn, max_steps=1000)
```

## Use instead

```python
from mx_rec.util.initialize import init
from npu_bridge.npu_init import *
from model import input_fn, model_fn

init(max_steps=1000, save_steps=100)
config = NPURunConfig(model_dir="model", save_checkpoints_steps=100)
estimator = NPUEstimator(model_fn=model_fn, config=config)
estimator.train(input_fn=input_fn, max_steps=1000)
```

## Fix safety

Unsafe: it gives `init` the values of the training, assuming that these are right. No edit where one of them
is not known, or is only a default and has no name that `init` can use.

## Sources

SEED-REC.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import cast

from npu_migrate.findings import Applicability, Finding, Rewrite, Severity
from npu_migrate.index.facts import Call
from npu_migrate.intents import Intent, ReplaceExpression
from npu_migrate.knowledge import rec
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.rec import STEPS, call_place, is_judged, reasons, source_of_steps, value_place
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, lowered_for, telling
from npu_migrate.semantics.calls.signatures import added
from npu_migrate.semantics.values.value import describe
from npu_migrate.training.rec.init_calls import init_calls, passed
from npu_migrate.training.rec.steps import evaluates_between, saves_by_steps, trains_by_estimator

CODE = "NPU509"
TITLE = "Give init() the steps of the training"
MISSING = "init() has to be told the steps that an Estimator trains with: {names} left out"
UNSET = "init() has to be told the steps that an Estimator trains with: {value}"

_FROM_CHECKPOINTS = frozenset({"save_steps", "train_steps"})
_FROM_EVALUATION = frozenset({"train_steps", "eval_steps"})


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per -1, and one per call that leaves steps out."""
    for call in init_calls(project):
        for name in STEPS:
            given = passed(project, call, name)
            if given is not None:
                place = value_place(call, given)
                rewrite = _rewrite(_replaced(project, call, given.given, name))
                judge = partial(_judge_value, project, call, name)
                yield from judged(project, CODE, place, judge, rewrite, asked=call.key)
        missing = _missing(project, call)
        judge = partial(_judge_call, project, call)
        rewrite = _rewrite(_additions(project, call, missing))
        yield from judged(project, CODE, call_place(call), judge, rewrite, asked=call.key)


def _needed(project: Project, program: str) -> tuple[str, ...]:
    """The steps that a program has to tell `init`."""
    if not trains_by_estimator(project, program):
        return ()
    evaluates, saves = evaluates_between(project, program), saves_by_steps(project, program)
    return tuple(
        name
        for name in STEPS
        if (evaluates or name not in _FROM_EVALUATION)
        and (saves or name not in _FROM_CHECKPOINTS)
        and is_judged(project, name, program)
    )


def _judge_value(project: Project, call: Ref, name: str, program: str) -> Verdict | None:
    given = passed(project, call, name, program)
    if given is None or not given.value.every(lambda value: value == rec.UNSET_STEPS):
        return None
    if name not in _needed(project, program):
        return None
    known = telling(given.value)
    message = UNSET.format(value=describe(project, name, known))
    return Verdict(lowered_for(Severity.WARNING, [known]), message, reasons(known))


def _judge_call(project: Project, call: Ref, program: str) -> Verdict | None:
    names = [name for name in _needed(project, program) if _is_left_out(project, call, name, program)]
    if not names:
        return None
    listed = f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'}"
    return Verdict(Severity.WARNING, MISSING.format(names=listed))


def _missing(project: Project, call: Ref) -> list[str]:
    """The steps that some program of the call needs and the call leaves out."""
    needed = {name for program in project.programs_of(call.key) for name in _needed(project, program)}
    return [name for name in STEPS if name in needed and _is_left_out(project, call, name)]


def _is_left_out(project: Project, call: Ref, name: str, program: str | None = None) -> bool:
    """Whether a call passes nothing as `name`, under a misspelt keyword neither (NPU501 renames that)."""
    misspelt = any(
        rec.similar_argument(keyword.name or "") == name for keyword in cast(Call, call.expr).keywords
    )
    return not misspelt and passed(project, call, name, program) is None


def _additions(project: Project, call: Ref, names: list[str]) -> tuple[Intent, ...] | None:
    """The arguments that are left out; None if one of them is not known."""
    codes = [(name, source_of_steps(project, call, name)) for name in names]
    known = [(name, code) for name, code in codes if code is not None]
    return added(call, known) if known and len(known) == len(codes) else None


def _replaced(project: Project, call: Ref, given: Ref | None, name: str) -> tuple[Intent, ...] | None:
    code = source_of_steps(project, call, name)
    return None if code is None or given is None else (ReplaceExpression(given.place, code),)


def _rewrite(intents: tuple[Intent, ...] | None) -> Rewrite | None:
    return None if intents is None else Rewrite(Applicability.UNSAFE, TITLE, intents)


RULE = Rule(
    code=CODE,
    name="rec-steps-unset-with-estimator",
    summary="Steps that an Estimator program does not tell Rec SDK's `init`.",
    severity="warning",
    fix="unsafe",
    sources=("SEED-REC",),
    documentation=__doc__ or "",
    check=check,
)
