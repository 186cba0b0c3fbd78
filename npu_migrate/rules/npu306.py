"""
## What it does

Finds a `TellMeStepOrLossHook` that does not tell the runtime what it needs:

- its arguments do not fit the trigger of `accelerate_train_mode`: `step` needs `step` and `total_step`,
`loss` needs `loss` and `final_loss`;
- one of such a pair is missing;
- `total_step` differs from the number of training steps;
- `step` or `loss` is not the name of a tensor: a name without `:0`, or the tensor itself.

## Why

The hook sets environment variables for the arguments that it is given, and the runtime ends the run with an
invalid argument when one that it needs is missing. With a wrong total, the original precision is restored too
early or never. A name without `:0` means an operation, which has no value to report.

## Example

```python
experimental_config = ExperimentalConfig(accelerate_train_mode="fast|step|0.9")
run_config = NPURunConfig(experimental_config=experimental_config)
estimator = NPUEstimator(model_fn=model_fn, config=run_config)
hook = TellMeStepOrLossHook(step='global_step', total_step=5000)
estimator.train(input_fn=input_fn, max_steps=10000, hooks=[hook])
```

## Use instead

```python
experimental_config = ExperimentalConfig(accelerate_train_mode="fast|step|0.9")
run_config = NPURunConfig(experimental_config=experimental_config)
estimator = NPUEstimator(model_fn=model_fn, config=run_config)
hook = TellMeStepOrLossHook(step='global_step:0', total_step=10000)
estimator.train(input_fn=input_fn, max_steps=10000, hooks=[hook])
```

## Fix safety

Unsafe: the training call, not the hook, is taken to be right. No edit where the right value is not known at
the place of the hook.

## Sources

SEED-EXP; DOC-TELL; CODE:npu_hook.py; CODE:geop_npu.cc.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from npu_migrate.findings import Applicability, Finding, Related, Rewrite, Severity
from npu_migrate.index.facts import Call
from npu_migrate.intents import Intent, ReplaceExpression, WrapExpression
from npu_migrate.knowledge.acceleration import MODE, PAIRS, Trigger
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, lowered_for, telling, weigh
from npu_migrate.semantics.calls.signatures import added
from npu_migrate.semantics.flow import externals_called, origins
from npu_migrate.semantics.values.evidence import evidence
from npu_migrate.semantics.values.literals import literal_in, quoted_like
from npu_migrate.semantics.values.value import Known, Value, describe, related
from npu_migrate.training.npu.hook_use import (
    HookArguments,
    HookUser,
    hook_arguments,
    progress_hooks,
    trigger_for,
    users_of,
)
from npu_migrate.training.npu.step_count import GLOBAL_STEP, STEP_GETTERS, code_for, step_tensor

CODE = "NPU306"
TITLE = "Tell the runtime what it needs"
MESSAGE = "TellMeStepOrLossHook: {problems}"
WRONG_PAIR = f"the trigger {{trigger}} of {MODE} needs {{first}} and {{second}}"
MISSING = "{missing} is missing, {given} alone is not enough"
NO_PAIR = "it needs step and total_step, or loss and final_loss"
NOT_A_NAME = "{value} is not the name of a tensor, which ends with :0"
TENSOR = "{name} has to be the name of the tensor, not the tensor"
DIFFERS = "{total}, but the training has {steps}"
TRAINED = "the steps of the training"

_TENSOR_NAME = re.compile(r"[^:\s]+:\d+")


class _Problem(NamedTuple):
    """One thing that is wrong: what to say, what to change (None: unknown), the values that show it."""

    text: str
    intents: tuple[Intent, ...] | None
    deciding: tuple[Known, ...] = ()
    where: tuple[Related, ...] = ()


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per hook that does not tell what it should."""
    for hook in progress_hooks(project):
        if hook.key not in project.targets:
            continue
        weighed = weigh(project, hook.key, partial(_judge, project, hook))
        if weighed is not None:
            assert isinstance(hook.expr, Call)
            verdict, programs = weighed
            rewrite = _rewrite(_problems(project, hook, programs[0]))
            place = last_token(hook.key, hook.expr.func)
            yield Finding(CODE, verdict.severity, verdict.message, place, verdict.related, rewrite, programs)


def _judge(project: Project, hook: Ref, program: str) -> Verdict | None:
    problems = _problems(project, hook, program)
    if not problems:
        return None
    certain = any(not known.is_default for problem in problems for known in problem.deciding or (_CERTAIN,))
    severity = Severity.ERROR if certain else lowered_for(Severity.ERROR, problems[0].deciding)
    message = MESSAGE.format(problems="; ".join(problem.text for problem in problems))
    return Verdict(severity, message, tuple(where for problem in problems for where in problem.where))


_CERTAIN = Known(None)


def _rewrite(problems: list[_Problem]) -> Rewrite | None:
    if any(problem.intents is None for problem in problems):
        return None
    intents = tuple(intent for problem in problems for intent in problem.intents or ())
    return Rewrite(Applicability.UNSAFE, TITLE, intents)


def _problems(project: Project, hook: Ref, program: str) -> list[_Problem]:
    given = hook_arguments(project, hook)
    if not given.certain:
        return []
    users = users_of(project, hook)
    trigger = trigger_for(project, users, program)
    found = [_pair_problem(project, hook, given, users, trigger)]
    found += [_name_problem(project, given, name, program) for name, _ in PAIRS.values()]
    found.append(_total_problem(project, hook, given, users, program))
    return [problem for problem in found if problem is not None]


# -- pairs ---------------------------------------------------------------------------------------------


def _pair_problem(
    project: Project, hook: Ref, given: HookArguments, users: tuple[HookUser, ...], trigger: Trigger | None
) -> _Problem | None:
    missing = {one: [name for name in pair if given.given(name) is None] for one, pair in PAIRS.items()}
    if not missing[trigger] if trigger else any(not names for names in missing.values()):
        return None
    half = trigger or next((one for one, names in missing.items() if len(names) == 1), None)
    if half is None:
        return _Problem(NO_PAIR, None)
    first, second = PAIRS[half]
    if len(missing[half]) == 2:
        text = WRONG_PAIR.format(trigger=half, first=first, second=second)
    else:
        there = second if missing[half] == [first] else first
        text = MISSING.format(missing=missing[half][0], given=there)
    return _Problem(text, _additions(project, hook, users, missing[half]))


def _additions(
    project: Project, hook: Ref, users: tuple[HookUser, ...], missing: list[str]
) -> tuple[Intent, ...] | None:
    """The arguments that are missing, as far as their right values are known."""
    loss, final_loss = project.options.loss_tensor, project.options.final_loss
    step = step_tensor(project, hook.key)
    right = {
        "step": None if step is None else repr(step),
        "total_step": _right_total(project, hook, users),
        "loss": None if loss is None else repr(loss),
        "final_loss": None if final_loss is None else repr(final_loss),
    }
    values = [(name, right[name]) for name in missing]
    if any(value is None for _, value in values):
        return None
    return added(hook, [(name, value) for name, value in values if value is not None])


def _right_total(project: Project, hook: Ref, users: tuple[HookUser, ...]) -> str | None:
    codes = {None if user.total is None else code_for(project, user.total, hook) for user in users}
    return codes.pop() if len(codes) == 1 else None


# -- names of tensors ----------------------------------------------------------------------------------


def _name_problem(project: Project, given: HookArguments, name: str, program: str) -> _Problem | None:
    ref = given.given(name)
    if ref is None:
        return None
    value = evidence(project, ref, program)
    if value.every(lambda text: not (isinstance(text, str) and _TENSOR_NAME.fullmatch(text))):
        known = telling(value)
        text = NOT_A_NAME.format(value=describe(project, name, known))
        return _Problem(text, _named(project, ref, known), (known,), related(known))
    made = origins(project, ref)
    if all(_is_tensor(project, origin) for origin in made):
        is_step = all(externals_called(project, origin) & STEP_GETTERS for origin in made)
        intent: Intent = WrapExpression(ref.place, "", ".name")
        if is_step:
            intent = ReplaceExpression(ref.place, repr(GLOBAL_STEP))
        return _Problem(TENSOR.format(name=name), (intent,) if given.is_direct(name) else None)
    return None


def _named(project: Project, ref: Ref, known: Known) -> tuple[Intent, ...] | None:
    literal = literal_in(project, ref)
    text = known.constant
    if literal is None or not isinstance(text, str) or not _TENSOR_NAME.fullmatch(f"{text}:0"):
        return None
    return (ReplaceExpression(literal.place, quoted_like(project, literal, f"{text}:0")),)


def _is_tensor(project: Project, ref: Ref) -> bool:
    """Whether `ref` is a call of TensorFlow, which makes no texts but for a few conversions."""
    names = externals_called(project, ref)
    return not ref.path and bool(names) and all(_makes_tensor(name) for name in names)


def _makes_tensor(name: str) -> bool:
    return name.startswith("tensorflow.") and not name.startswith(
        ("tensorflow.compat.", "tensorflow.flags.", "tensorflow.app.", "tensorflow.gfile.")
    )


# -- the total -----------------------------------------------------------------------------------------


def _total_problem(
    project: Project, hook: Ref, given: HookArguments, users: tuple[HookUser, ...], program: str
) -> _Problem | None:
    ref = given.given("total_step")
    totals = [(user.total, user.total_name) for user in users if user.total is not None]
    if ref is None or not totals or len(totals) < len(users):
        return None
    said = evidence(project, ref, program)
    trained = [(evidence(project, total, program), total, name) for total, name in totals]
    if not all(_differ(said, steps) for steps, _, _ in trained):
        return None
    steps, total, name = trained[0]
    known, right = telling(said), telling(steps)
    text = DIFFERS.format(total=describe(project, "total_step", known), steps=describe(project, name, right))
    code = _right_total(project, hook, users) if given.is_direct("total_step") else None
    intents = None if code is None else (ReplaceExpression(ref.place, code),)
    deciding = (*said.alternatives, *steps.alternatives)
    lowered = next((one for one in deciding if one.is_default), deciding[0])
    return _Problem(
        text, intents, (lowered,), (Related(total.place, TRAINED), *related(known), *related(right))
    )


def _differ(one: Value, other: Value) -> bool:
    """Whether two numbers are known to differ, whichever of their alternatives they are."""
    numbers = {known.constant for known in other.alternatives if isinstance(known.constant, (int, float))}
    return bool(numbers) and one.every(lambda number: number not in numbers)


RULE = Rule(
    code=CODE,
    name="step-or-loss-hook-mismatch",
    summary="A TellMeStepOrLossHook whose arguments do not fit the mode, the steps or the graph.",
    severity="error, or warning for a default",
    fix="unsafe where the right value is known, else manual",
    sources=("SEED-EXP", "DOC-TELL", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
