"""
## What it does

Finds a Python loop around `sess.run(train_op)` that still counts single steps although `iterations_per_loop`
is greater than 1: everything that makes its count is in sight, and none of it divides by
`iterations_per_loop`. A count that is not larger than `iterations_per_loop` is taken to be divided already.
A loop whose body multiplies its counter by `iterations_per_loop` counts calls and is left alone.

It is a warning if the same number is also given to a learning rate schedule, which counts single steps.

## Why

Each `sess.run` now trains `iterations_per_loop` steps, so the script trains that many times as long as
before, and a learning rate that was to reach its end in the last step reaches it much earlier.

## Example

```python
train_op = util.set_iteration_per_loop(sess, train_op, 10)
for step in range(1000):
    sess.run(train_op)
```

## Use instead

```python
train_op = util.set_iteration_per_loop(sess, train_op, 10)
for step in range(1000 // 10):
    sess.run(train_op)
```

Leave the number that the schedule gets as it is: it counts single steps. Numbers that depend on the loop
variable, such as "every 100 steps", change their meaning as well.

## Fix safety

There is no edit, because only you know whether the number was divided before it was written down.

## Sources

DOC-ITER.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Finding, Related, Severity
from npu_migrate.index.facts import Call, argument
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.rules.offload import described, one_per_place
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, lowered_for, telling
from npu_migrate.semantics.flow import externals_called
from npu_migrate.semantics.values.evaluation import evaluate
from npu_migrate.semantics.values.value import Known, Value, related
from npu_migrate.training.npu.configs import is_offloading
from npu_migrate.training.npu.device_loop import Run, loop_parts, n_of_run, training_runs
from npu_migrate.training.npu.host_loop import HostLoop, count, counts_runs, is_undivided, surroundings

CODE = "NPU208"
MESSAGE = "each run trains several steps, {n}, but the count of this loop is not divided by it"
SCHEDULE = "{message}; the same number sets a schedule, which then ends too early"
SET_HERE = "the same number, as a number of single steps"

_SCHEDULES = (
    "exponential_decay",
    "inverse_time_decay",
    "natural_exp_decay",
    "polynomial_decay",
    "cosine_decay",
    "linear_cosine_decay",
    "noisy_linear_cosine_decay",
    "cosine_decay_restarts",
)
_SCHEDULE_ARGUMENTS = (("decay_steps", 2), ("first_decay_steps", 2))
_TOTALS = ("num_train_steps", "total_steps", "total_step", "decay_steps")


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per loop that counts single steps."""
    runs = [run for run in training_runs(project) if run.parts] if loop_parts(project) else []
    return one_per_place(finding for run in runs for finding in _check_run(project, run))


def _check_run(project: Project, run: Run) -> Iterator[Finding]:
    loops = surroundings(project, run.call).loops
    if loops:
        judge = partial(_judge, project, run, loops[0])
        yield from judged(project, CODE, loops[0].around.place, judge)


def _judge(project: Project, run: Run, loop: HostLoop, program: str) -> Verdict | None:
    n = n_of_run(project, run, program)
    if not n.every(is_offloading) or not is_undivided(project, loop, n, program):
        return None
    if counts_runs(project, loop, n, program):
        return None
    counted = count(project, loop, program)
    largest = max(known.constant for known in n.alternatives)
    if counted.is_known and not counted.every(lambda found: isinstance(found, int) and found > largest):
        return None
    known = telling(n)
    message = MESSAGE.format(n=described(project, known))
    schedule = _schedule_with(project, counted, program)
    if schedule is None:
        return Verdict(Severity.INFO, message, related(known))
    text = SCHEDULE.format(message=message)
    places = (Related(schedule, SET_HERE), *related(known))
    return Verdict(lowered_for(Severity.WARNING, [known]), text, places)


# -- schedules -----------------------------------------------------------------------------------------


def _schedule_with(project: Project, counted: Value, program: str) -> Place | None:
    """A learning rate schedule of the program that is given the very number that a loop counts to."""
    if counted.only is None or not counted.only.steps:
        return None
    for given in _scheduled(project, program):
        value = evaluate(project, given, program).only
        if value is not None and _is_same(value, counted.only):
            return given.place
    return None


def _is_same(left: Known, right: Known) -> bool:
    """Whether two values are the same number from the same place."""
    return (
        left.constant == right.constant
        and bool(left.steps)
        and left.steps[-1].ref.expr is right.steps[-1].ref.expr
    )


def _scheduled(project: Project, program: str) -> Iterator[Ref]:
    files = project.programs.by_entry[program].files
    for name in _SCHEDULES:
        for key, site in project.calls_named(name):
            ref = ref_of_call(key, site)
            if key in files and any(n.startswith("tensorflow.") for n in externals_called(project, ref)):
                yield from _arguments(ref, site.call)
    for facts in project.relevant():
        for site in facts.calls if facts.key in files else ():
            for keyword in site.call.keywords:
                if keyword.name in _TOTALS:
                    yield Ref(facts.key, site.scope, site.statement, keyword.value)


def _arguments(ref: Ref, call: Call) -> Iterator[Ref]:
    given = (argument(call, name, position) for name, position in _SCHEDULE_ARGUMENTS)
    yield from (ref._replace(expr=value) for value in given if value is not None)


RULE = Rule(
    code=CODE,
    name="loop-count-not-divided",
    summary="The Python loop around the train op still counts single steps.",
    severity="info; warning if the same number sets a schedule",
    fix="manual",
    sources=("DOC-ITER",),
    documentation=__doc__ or "",
    check=check,
)
