"""
## What it does

Finds a total number of training steps that cannot be divided by `iterations_per_loop`: `steps` and
`max_steps` of `train`, `max_steps` of a `TrainSpec`, the arguments of a `StopAtStepHook`, and the count of a
Python loop around `sess.run(train_op)` that was not divided by `iterations_per_loop`. A bare small number
(`range(5)`) is taken for a count of loops, not of steps.

## Why

The device runs `iterations_per_loop` steps for each call of the session, so training can only end at a
multiple of it. Training either stops at another step than asked for, or runs past the end.

## Example

```python
config = NPURunConfig(iterations_per_loop=100)
estimator = NPUEstimator(model_fn=model_fn, config=config)
estimator.train(input_fn=input_fn, max_steps=1050)
```

## Use instead

```python
config = NPURunConfig(iterations_per_loop=100)
estimator = NPUEstimator(model_fn=model_fn, config=config)
estimator.train(input_fn=input_fn, max_steps=1100)
```

## Fix safety

There is no edit: whether fewer or more steps are right, and whether `iterations_per_loop` should change
instead, is for you to say. The message gives the nearest values.

## Sources

SEED-ITER; DOC-ITER.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import prod

from npu_migrate.findings import Finding, Severity
from npu_migrate.index.facts import Call, argument, last_name, walk
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.offload import described, one_per_place
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, lowered_for, telling
from npu_migrate.semantics.flow import externals_called
from npu_migrate.semantics.values.evidence import evidence
from npu_migrate.semantics.values.value import Value, combine, describe, is_step_count, related
from npu_migrate.training.npu.configs import is_offloading
from npu_migrate.training.npu.device_loop import Run, loop_parts, n_of_run, training_runs
from npu_migrate.training.npu.host_loop import HostLoop, count, is_undivided, surroundings
from npu_migrate.training.npu.offload import Offload, offloading, offloads, training_hooks, trainings_under
from npu_migrate.training.npu.trainings import training_argument

CODE = "NPU202"
MESSAGE = "{steps} is not a multiple of {n}: use {near}"
SUBJECT = "number of training steps"

_MANY_LOOPS = 10
"""A bare number counts single steps only if it is at least so many times N."""
_LOOP_WORDS = ("loop", "run", "call")
_STOP_HOOK = "StopAtStepHook"
_STOP_ARGUMENTS = (("num_steps", 0), ("last_step", 1))


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per number of steps that does not fit N."""
    return one_per_place([*_of_trainings(project), *_of_sessions(project)])


def _of_trainings(project: Project) -> Iterator[Finding]:
    for offload in offloads(project):
        for steps in (*_asked(project, offload), *_stops(project, offload)):
            yield from judged(project, CODE, steps.place, partial(_judge_training, project, offload, steps))


def _asked(project: Project, offload: Offload) -> Iterator[Ref]:
    """The steps that training calls under the config ask for."""
    for training in trainings_under(project, offload):
        for name in ("steps", "max_steps"):
            passed = training_argument(project, training, name)
            if passed.certain:
                yield from passed.values


def _stops(project: Project, offload: Offload) -> Iterator[Ref]:
    """What the ``StopAtStepHook``s under the config are given."""
    for hook in training_hooks(project, offload):
        assert isinstance(hook.expr, Call)
        if any(
            name.startswith("tensorflow.") and name.endswith(f".{_STOP_HOOK}")
            for name in externals_called(project, hook)
        ):
            given = [argument(hook.expr, name, position) for name, position in _STOP_ARGUMENTS]
            yield from (hook._replace(expr=expr, path=()) for expr in given if expr is not None)


def _judge_training(project: Project, offload: Offload, steps: Ref, program: str) -> Verdict | None:
    return _verdict(project, evidence(project, steps, program), offloading(project, offload, program))


def _of_sessions(project: Project) -> Iterator[Finding]:
    for run in training_runs(project) if loop_parts(project) else ():
        around = surroundings(project, run.call) if run.parts else None
        if around is not None and around.loops and around.complete:
            judge = partial(_judge_session, project, run, around.loops)
            yield from judged(project, CODE, around.loops[0].stop.place, judge)


def _judge_session(project: Project, run: Run, loops: tuple[HostLoop, ...], program: str) -> Verdict | None:
    n = n_of_run(project, run, program)
    counts = [count(project, loop, program) for loop in loops]
    if not n.every(is_offloading) or not is_undivided(project, loops[0], n, program):
        return None
    largest = max(known.constant for known in n.alternatives)
    smallest = largest + 1 if _is_named(loops[0]) else largest * _MANY_LOOPS
    if not counts[0].every(lambda found: isinstance(found, int) and found >= smallest):
        return None
    total = combine(prod, counts)
    return _verdict(project, total, n)


def _is_named(loop: HostLoop) -> bool:
    """Whether a name says what the loop counts. A bare small number may be a number of device loops."""
    names = [(last_name(part) or "").lower() for part in walk(loop.stop.expr)]
    return any(names) and not any(word in name for name in names for word in _LOOP_WORDS)


def _verdict(project: Project, steps: Value, n: Value) -> Verdict | None:
    if not n.is_known or not steps.every(is_step_count):
        return None
    pairs = [(s, m) for s in steps.alternatives for m in n.alternatives]
    if any(s.constant % m.constant == 0 for s, m in pairs):
        return None
    total, loop = telling(steps), telling(n)
    below = int(total.constant) // loop.constant * loop.constant
    near = f"{below} or {below + loop.constant}" if below else f"{loop.constant}"
    message = MESSAGE.format(steps=describe(project, SUBJECT, total), n=described(project, loop), near=near)
    severity = lowered_for(Severity.ERROR, [total, loop])
    return Verdict(severity, message, (*related(total), *related(loop)))


RULE = Rule(
    code=CODE,
    name="steps-not-divisible",
    summary="A total number of training steps that is not a multiple of iterations_per_loop.",
    severity="error",
    fix="manual",
    sources=("SEED-ITER", "DOC-ITER"),
    documentation=__doc__ or "",
    check=check,
)
