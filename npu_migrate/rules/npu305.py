"""
## What it does

Finds training calls of an Estimator with training acceleration that run without a `TellMeStepOrLossHook`:
`estimator.train(…)`, the `TrainSpec` given to `train_and_evaluate`, and sessions whose config has the key
`experimental_accelerate_train_mode`. The hook may be among the call's `hooks`, or among `training_hooks` and
`training_chief_hooks` of the model function's `EstimatorSpec`. `npu_hooks_append` throws away hooks that are
given as a tuple. A program that sets the environment variables `STEP_NOW` and `TOTAL_STEP` (or `LOSS_NOW` and
`TARGET_LOSS`) itself needs no hook.

## Why

The runtime restores the original precision when training has come far enough. It learns how far that is from
environment variables, which the hook sets and keeps up to date. Without them the run ends with an invalid
argument.

## Example

```python
experimental_config = ExperimentalConfig(accelerate_train_mode="fast|step|0.9")
run_config = NPURunConfig(experimental_config=experimental_config)
estimator = NPUEstimator(model_fn=model_fn, config=run_config)
estimator.train(input_fn=input_fn, max_steps=10000)
```

## Use instead

```python
experimental_config = ExperimentalConfig(accelerate_train_mode="fast|step|0.9")
run_config = NPURunConfig(experimental_config=experimental_config)
estimator = NPUEstimator(model_fn=model_fn, config=run_config)
estimator.train(
    input_fn=input_fn, max_steps=10000,
    hooks=[TellMeStepOrLossHook(step='global_step:0', total_step=10000)])
```

## Fix safety

Safe for the trigger `step` where the call says the total: `max_steps`, or `steps` outside of a loop; for a
monitored session the `last_step` of its `StopAtStepHook`. The hook is put into whatever `hooks` is there, and
the class is imported, because older releases do not export it. No edit where the total is unknown or may not
be evaluated a second time (a property that counts), and for sessions without hooks.

For the trigger `loss` the tensor and the target are yours to know. Say them in `pyproject.toml`, and the fix
uses them:

```toml
[tool.npu-migrate]
loss-tensor = "loss:0"
final-loss = 7.1
```

## Sources

SEED-EXP; DOC-TELL; DOC-EXPS; CODE:npu_hook.py; CODE:npu_init.py; CODE:geop_npu.cc.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from npu_migrate.findings import Applicability, Finding, Related, Rewrite, Severity
from npu_migrate.index.facts import Call
from npu_migrate.intents import WrapExpression
from npu_migrate.knowledge import acceleration as known_of
from npu_migrate.knowledge.acceleration import VARIABLES, Trigger
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, lowered_for, telling, weigh
from npu_migrate.semantics.calls.passing import Passed, passed_objects
from npu_migrate.semantics.flow import externals_called
from npu_migrate.semantics.resolution import external_names
from npu_migrate.semantics.values.value import Value, describe, related
from npu_migrate.training.npu.acceleration import (
    accelerates,
    asked_modes,
    entry_mode,
    training_mode,
    trigger_of,
)
from npu_migrate.training.npu.config_reach import Reader, readers_of
from npu_migrate.training.npu.configs import Entry, entries
from npu_migrate.training.npu.hook_insertion import insertion
from npu_migrate.training.npu.hooks import HookList, tells_progress
from npu_migrate.training.npu.progress import environment_tells, hooks_of_session, hooks_of_training
from npu_migrate.training.npu.step_count import (
    code_for,
    step_tensor,
    total_code,
    total_of_session,
    total_of_training,
)
from npu_migrate.training.npu.trainings import Training, configs_of, training_argument, trainings

CODE = "NPU305"
TITLE = "Tell the runtime how far training has come"
TITLE_LIST = "Pass a list: npu_hooks_append throws tuples away"
MESSAGE = "{mode} needs a TellMeStepOrLossHook in this training call"
DISCARDED = (
    "{mode} needs the TellMeStepOrLossHook that npu_hooks_append throws away here, because it is in a tuple"
)
NO_HOOKS = "{mode} needs the environment variables {variables}, kept up to date while this session trains"
CONFIG = "the config is made here"

OBSTACLES = {
    "total": "; give it the total of the steps as total_step",
    "step": "; give it the name of the tensor that counts the steps",
    "loss": "; give it loss and final_loss, or set loss-tensor and final-loss in [tool.npu-migrate]",
    "trigger": "; give it the step or the loss, as the mode says",
    "name": "; TellMeStepOrLossHook means something else in this file",
    "hidden": "; the hooks that the call gets are not in sight",
    "session": "",
}

_MONITORED = "tensorflow.train.MonitoredTrainingSession"
_CREATORS = frozenset({"tensorflow.train.ChiefSessionCreator", "tensorflow.train.WorkerSessionCreator"})


class _Planned(NamedTuple):
    """The edit of a finding, or the key of what the message says instead."""

    rewrite: Rewrite | None
    obstacle: str = "session"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per training call without the hook."""
    if not asked_modes(project):
        return
    for training in trainings(project):
        if training.call.key in project.targets:
            yield from _check_training(project, training)
    for entry in entries(project):
        for reader in readers_of(project, entry.configs):
            if reader.ref.key in project.targets and reader.kind != "estimator":
                yield from _check_session(project, entry, reader)


# -- Estimators ----------------------------------------------------------------------------------------


def _check_training(project: Project, training: Training) -> Iterator[Finding]:
    mode = partial(training_mode, project, training)
    if not any(accelerates(mode(program)) for program in project.programs_of(training.call.key)):
        return
    hooks = hooks_of_training(project, training)
    if not _lacks_hook(project, hooks):
        return
    discards = any(tells_progress(project, hook) for hook in hooks.discarded)
    configs = [config.place for made in training.estimators for config in configs_of(project, made)]
    yield from _finding(
        project,
        training.call,
        DISCARDED if discards else MESSAGE,
        mode,
        tuple(Related(place, CONFIG) for place in configs[:1]),
        partial(_plan_training, project, training, discards),
    )


def _lacks_hook(project: Project, hooks: HookList) -> bool:
    return hooks.complete and not any(tells_progress(project, hook) for hook in hooks.hooks)


def _plan_training(project: Project, training: Training, discards: bool, trigger: Trigger | None) -> _Planned:
    hooks = training_argument(project, training, "hooks")
    if discards:
        return _as_list(project, hooks)
    steps = total_of_training(project, training)
    total = None if steps is None else total_code(project, training, steps)
    return _plan(project, training.call, hooks, trigger, total)


def _as_list(project: Project, hooks: Passed) -> _Planned:
    """The tuple that is given to ``npu_hooks_append``, made a list."""
    for value in hooks.values if hooks.direct else ():
        if known_of.HOOKS_APPEND in externals_called(project, value):
            for given in passed_objects(project, value, "hooks_list", 0).values:
                intent = WrapExpression(given.place, "list(", ")")
                return _Planned(Rewrite(Applicability.SAFE, TITLE_LIST, (intent,)))
    return _Planned(None)


# -- sessions ------------------------------------------------------------------------------------------


def _check_session(project: Project, entry: Entry, reader: Reader) -> Iterator[Finding]:
    call = reader.ref
    assert isinstance(call.expr, Call)
    names = external_names(project, call.key, call.scope, call.expr.func)
    if names & _CREATORS:
        return
    mode = partial(entry_mode, project, entry)
    where = (Related(entry.added.place, CONFIG),)
    if _MONITORED not in names:
        yield from _finding(project, call, NO_HOOKS, mode, where, lambda trigger: _Planned(None))
        return
    hooks = hooks_of_session(project, call)
    if _lacks_hook(project, hooks):
        plan = partial(_plan_session, project, call, hooks)
        yield from _finding(project, call, MESSAGE, mode, where, plan)


def _plan_session(project: Project, call: Ref, hooks: HookList, trigger: Trigger | None) -> _Planned:
    last = total_of_session(project, hooks)
    total = None if last is None else code_for(project, last, call)
    return _plan(project, call, passed_objects(project, call, "hooks", 4), trigger, total)


# -- both ----------------------------------------------------------------------------------------------


def _plan(project: Project, call: Ref, hooks: Passed, trigger: Trigger | None, total: str | None) -> _Planned:
    if trigger is None:
        return _Planned(None, "trigger")
    if trigger == "loss":
        options = project.options
        if options.loss_tensor is None or options.final_loss is None:
            return _Planned(None, "loss")
        arguments = f"loss={options.loss_tensor!r}, final_loss={options.final_loss!r}"
    else:
        step = step_tensor(project, call.key)
        if total is None or step is None:
            return _Planned(None, "total" if total is None else "step")
        arguments = f"step={step!r}, total_step={total}"
    intents = insertion(project, call, hooks, arguments)
    if isinstance(intents, str):
        return _Planned(None, intents)
    return _Planned(Rewrite(Applicability.SAFE, TITLE, intents))


def _finding(
    project: Project,
    call: Ref,
    message: str,
    mode: Callable[[str], Value],
    where: tuple[Related, ...],
    plan: Callable[[Trigger | None], _Planned],
) -> Iterator[Finding]:
    def judge(program: str) -> Verdict | None:
        value = mode(program)
        trigger = trigger_of(value)
        if not accelerates(value) or (trigger and environment_tells(project, program, trigger)):
            return None
        known = telling(value)
        text = message.format(
            mode=describe(project, known_of.MODE, known), variables=" and ".join(VARIABLES[trigger or "step"])
        )
        return Verdict(lowered_for(Severity.ERROR, value.alternatives), text, (*related(known), *where))

    weighed = weigh(project, call.key, judge)
    if weighed is None:
        return
    assert isinstance(call.expr, Call)
    verdict, programs = weighed
    planned = plan(trigger_of(mode(programs[0])))
    text = verdict.message + ("" if planned.rewrite else OBSTACLES[planned.obstacle])
    place = last_token(call.key, call.expr.func)
    yield Finding(CODE, verdict.severity, text, place, verdict.related, planned.rewrite, programs)


RULE = Rule(
    code=CODE,
    name="step-or-loss-hook-missing",
    summary="A training call with training acceleration that has no TellMeStepOrLossHook.",
    severity="error, or warning for a default",
    fix="safe where the total of the steps is known, else manual",
    sources=("SEED-EXP", "DOC-TELL", "DOC-EXPS", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
