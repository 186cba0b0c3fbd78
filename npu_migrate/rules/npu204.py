"""
## What it does

Finds settings and hooks that count single steps while `iterations_per_loop` is greater than 1:
`save_summary_steps` above 0, an explicit `log_step_count_steps`, and a `LoggingTensorHook`,
`SummarySaverHook` or `StepCounterHook` given to the training.

## Why

The host only sees every `iterations_per_loop`-th step, so summaries and logs are not written at the steps
asked for.

## Example

```python
config = NPURunConfig(iterations_per_loop=100, save_summary_steps=10)
```

## Use instead

Leave the setting out and let the device send what you want to see: give `NPUEstimatorSpec` a `host_call` for
summaries; for logs use `tf.print` (an Estimator shows it by itself; with `sess.run`, read the outfeed channel
`_npu_log` in a thread).

```python
config = NPURunConfig(iterations_per_loop=100)
spec = NPUEstimatorSpec(mode, loss=loss, train_op=train_op, host_call=(write_summaries, [loss]))
```

## Fix safety

There is no edit: what should be logged is for you to say.

## Sources

SEED-ITER; DOC-RC; DOC-LOG; DOC-SPEC.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Finding, Severity
from npu_migrate.index.facts import Call
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.offload import described, one_per_place
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, lowered_for, telling
from npu_migrate.semantics.flow import externals_called
from npu_migrate.semantics.values.value import describe, is_step_count, related
from npu_migrate.training.npu.offload import (
    Offload,
    offloading,
    offloads,
    option,
    run_config_calls,
    training_hooks,
)

CODE = "NPU204"
INSTEAD = "send summaries by the host_call of NPUEstimatorSpec and logs by tf.print, through the outfeed"
SETTING = f"{{setting}} is not kept when {{n}}: {INSTEAD}"
HOOK = f"{{hook}} does not see every step when {{n}}: {INSTEAD}"

_SETTINGS = ("save_summary_steps", "log_step_count_steps")
_HOOKS = frozenset({"LoggingTensorHook", "SummarySaverHook", "StepCounterHook"})


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per setting and hook that counts single steps."""
    return one_per_place(
        finding for offload in offloads(project) for finding in _check_offload(project, offload)
    )


def _check_offload(project: Project, offload: Offload) -> Iterator[Finding]:
    for call in run_config_calls(project, offload):
        for name in _SETTINGS:
            asked = option(project, offload, call, name)
            if asked is not None and asked.given is not None:
                judge = partial(_judge_setting, project, offload, call, name)
                yield from judged(project, CODE, asked.given.place, judge)
    for hook in training_hooks(project, offload):
        assert isinstance(hook.expr, Call)
        kind = _hook_name(project, hook)
        if kind is not None:
            place = last_token(hook.key, hook.expr.func)
            yield from judged(project, CODE, place, partial(_judge_hook, project, offload, kind))


def _hook_name(project: Project, hook: Ref) -> str | None:
    names = (name for name in externals_called(project, hook) if name.startswith("tensorflow."))
    return next((last for name in names if (last := name.rpartition(".")[2]) in _HOOKS), None)


def _judge_setting(project: Project, offload: Offload, call: Ref, name: str, program: str) -> Verdict | None:
    n = offloading(project, offload, program)
    setting = option(project, offload, call, name, program)
    if not n.is_known or setting is None or not setting.value.every(is_step_count):
        return None
    value, loop = telling(setting.value), telling(n)
    message = SETTING.format(setting=describe(project, name, value), n=described(project, loop))
    severity = lowered_for(Severity.WARNING, [value, loop])
    return Verdict(severity, message, (*related(value), *related(loop)))


def _judge_hook(project: Project, offload: Offload, name: str, program: str) -> Verdict | None:
    n = offloading(project, offload, program)
    if not n.is_known:
        return None
    loop = telling(n)
    message = HOOK.format(hook=name, n=described(project, loop))
    return Verdict(lowered_for(Severity.WARNING, [loop]), message, related(loop))


RULE = Rule(
    code=CODE,
    name="summary-or-log-steps-under-offload",
    summary="Summaries or logs that count single steps while iterations_per_loop > 1.",
    severity="warning",
    fix="manual",
    sources=("SEED-ITER", "DOC-RC", "DOC-LOG"),
    documentation=__doc__ or "",
    check=check,
)
