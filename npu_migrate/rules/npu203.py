"""
## What it does

Finds a `save_checkpoints_steps` that is not a multiple of `iterations_per_loop`: in `NPURunConfig`, and in a
`RunConfig` of TensorFlow that gets an NPU session config. An `NPURunConfig` with neither
`save_checkpoints_steps` nor `save_checkpoints_secs` saves every 100 steps, so that number counts too.

## Why

The host only sees every `iterations_per_loop`-th step. Checkpoints are saved at the steps that you asked for
only if these are among them; otherwise they come later than asked for.

## Example

```python
config = NPURunConfig(iterations_per_loop=100, save_checkpoints_steps=250)
```

## Use instead

```python
config = NPURunConfig(iterations_per_loop=100, save_checkpoints_steps=300)
```

0 and None switch saving off and are never reported.

## Fix safety

Unsafe: a literal is rounded up to the next multiple, so checkpoints are saved less often. No edit for other
values.

## Sources

SEED-ITER; DOC-RC; CODE:npu_config.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Applicability, Finding, Rewrite, Severity
from npu_migrate.index.facts import Call, Constant
from npu_migrate.intents import ReplaceExpression
from npu_migrate.knowledge.run_config import IMPLICIT_CHECKPOINT_STEPS
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.offload import described, one_per_place
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, lowered_for, telling
from npu_migrate.semantics.values.value import Value, constant, describe, is_whole, related
from npu_migrate.training.npu.offload import (
    Offload,
    iterations,
    offloading,
    offloads,
    option,
    run_config_calls,
)

CODE = "NPU203"
TITLE = "Save checkpoints every {steps} steps, a multiple of iterations_per_loop"
MESSAGE = "{steps} is not a multiple of {n}: checkpoints are not saved at the steps asked for"
IMPLICIT = (
    "without save_checkpoints_steps a checkpoint is saved every 100 steps, which is not a multiple of {n}"
)

STEPS = "save_checkpoints_steps"
SECONDS = "save_checkpoints_secs"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per interval that does not fit N."""
    return one_per_place(
        finding
        for offload in offloads(project)
        for call in run_config_calls(project, offload)
        for finding in _check_call(project, offload, call)
    )


def _check_call(project: Project, offload: Offload, call: Ref) -> Iterator[Finding]:
    assert isinstance(call.expr, Call)
    asked = option(project, offload, call, STEPS)
    given = None if asked is None else asked.given
    place = last_token(call.key, call.expr.func) if given is None else given.place
    rewrite = None if given is None else _rounded_up(project, offload, given)
    yield from judged(project, CODE, place, partial(_judge, project, offload, call), rewrite)


def _judge(project: Project, offload: Offload, call: Ref, program: str) -> Verdict | None:
    n = offloading(project, offload, program)
    asked = option(project, offload, call, STEPS, program)
    if asked is not None:
        return _verdict(project, asked.value, n, MESSAGE)
    seconds = option(project, offload, call, SECONDS, program)
    if offload.entry is None and (seconds is None or seconds.value.every(lambda value: value is None)):
        return _verdict(project, constant(IMPLICIT_CHECKPOINT_STEPS), n, IMPLICIT)
    return None


def _verdict(project: Project, steps: Value, n: Value, message: str) -> Verdict | None:
    if not n.is_known or not steps.every(_saves):
        return None
    pairs = [(s.constant, m.constant) for s in steps.alternatives for m in n.alternatives]
    if any(s > 0 and s % m == 0 for s, m in pairs):
        return None
    interval, loop = telling(steps), telling(n)
    text = message.format(steps=describe(project, STEPS, interval), n=described(project, loop))
    severity = lowered_for(Severity.WARNING, [interval, loop])
    return Verdict(severity, text, (*related(interval), *related(loop)))


def _saves(steps: object) -> bool:
    """Whether an interval is a number that does not switch saving off."""
    return is_whole(steps) and steps != 0


def _rounded_up(project: Project, offload: Offload, given: Ref) -> Rewrite | None:
    n = iterations(project, offload).value.only
    steps = given.expr.value if isinstance(given.expr, Constant) else None
    if n is None or not isinstance(n.constant, int) or not is_whole(steps) or n.constant < 2:
        return None
    rounded = -(-int(steps) // n.constant) * n.constant
    if rounded < 1:
        return None
    return Rewrite(
        Applicability.UNSAFE,
        TITLE.format(steps=rounded),
        (ReplaceExpression(given.place, str(rounded)),),
    )


RULE = Rule(
    code=CODE,
    name="checkpoint-steps-not-multiple",
    summary="Checkpoints are saved at steps that are not multiples of iterations_per_loop.",
    severity="warning",
    fix="unsafe for a literal, else manual",
    sources=("SEED-ITER", "DOC-RC", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
