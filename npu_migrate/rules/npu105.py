"""
## What it does

Finds configurations that switch the offload of data preprocessing off (`enable_data_pre_proc` is False) while
`iterations_per_loop` is greater than 1. Session configs and `NPURunConfig` alike.

## Why

With `iterations_per_loop` > 1 the device runs several steps per `sess.run` and has to fetch the input of each
step by itself. That is what `enable_data_pre_proc` makes possible: the two settings contradict each other.

## Example

```python
config = NPURunConfig(iterations_per_loop=100, enable_data_pre_proc=False)
```

## Use instead

```python
config = NPURunConfig(iterations_per_loop=100, enable_data_pre_proc=True)
```

If the preprocessing cannot be offloaded, keep False and set `iterations_per_loop` to 1.

## Fix safety

Safe: the setting has no effect on the CPU, and on the NPU the program asks for the offload by its
`iterations_per_loop`. No edit where the value is not a literal at the place that needs it.

## Sources

SEED-ITER; DOC-ITER; CODE:npu_config.py; CODE:npu_attrs.cc.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from npu_migrate.findings import Applicability, Finding, Rewrite, Severity
from npu_migrate.index.facts import Constant
from npu_migrate.intents import ReplaceExpression
from npu_migrate.knowledge import npu
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, lowered_for, telling
from npu_migrate.semantics.values.evidence import evidence
from npu_migrate.semantics.values.value import Value, describe, join, related
from npu_migrate.training.npu.configs import (
    Entry,
    entries,
    entry_iterations,
    is_offloading,
    least,
    parameter_writes,
    run_config_iterations,
    run_config_setting,
    run_configs,
)
from npu_migrate.training.npu.options.paths import always_follows, always_precedes

CODE = "NPU105"
TITLE = "Set enable_data_pre_proc to True"
MESSAGE = "{switch} switches the offload of data preprocessing off, but {n} needs it"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per value that switches the offload off while N > 1."""
    for entry in entries(project):
        given = _switches(project, entry)
        for ref in given:
            yield from _finding(project, ref, partial(_judge_entry, project, entry, ref, given))
    for call in run_configs(project):
        setting = run_config_setting(project, call, npu.DATA_PRE_PROC)
        if setting is not None and setting.value.is_known:
            judge = partial(_judge_run_config, project, call)
            yield from _finding(project, setting.given or call, judge)


def _switches(project: Project, entry: Entry) -> tuple[Ref, ...]:
    """The values that an entry gives to the switch; none if one of them cannot be told."""
    writes = [write for write in parameter_writes(project, entry) if write.key in (None, npu.DATA_PRE_PROC)]
    given = tuple(write.value for write in writes if write.field == "b" and write.key and write.value)
    return given if len(given) == len(writes) else ()


def _judge_entry(
    project: Project, entry: Entry, ref: Ref, given: tuple[Ref, ...], program: str
) -> Verdict | None:
    # ``if loops > 1:`` around the write says itself what the finding needs of a default.
    iterations = entry_iterations(project, entry, program, fulfilled=True)
    held = [one for one in given if not _is_replaced(project, one, given, iterations.given)]
    if ref not in held:
        return None
    switch = join(evidence(project, one, program) for one in held)
    return _verdict(project, switch, iterations.value)


def _is_replaced(project: Project, ref: Ref, given: tuple[Ref, ...], n: Ref | None) -> bool:
    """Whether a value of the switch is replaced by another one wherever N is set."""
    return any(
        always_follows(project, ref, other)
        or (n is not None and _is_set_with(project, n, other) and always_precedes(project, ref, other))
        for other in given
        if other is not ref
    )


def _is_set_with(project: Project, n: Ref, other: Ref) -> bool:
    """Whether a value of the switch is set whenever N is, before it or behind it."""
    return always_follows(project, n, other) or always_precedes(project, other, n)


def _judge_run_config(project: Project, call: Ref, program: str) -> Verdict | None:
    switch = run_config_setting(project, call, npu.DATA_PRE_PROC, program)
    assert switch is not None
    return _verdict(project, switch.value, run_config_iterations(project, call, program).value)


def _verdict(project: Project, switch: Value, iterations: Value) -> Verdict | None:
    if not switch.every(_is_off) or not iterations.every(is_offloading):
        return None
    off, n = telling(switch), least(iterations)
    message = MESSAGE.format(
        switch=describe(project, npu.DATA_PRE_PROC, off), n=describe(project, npu.ITERATIONS_PER_LOOP, n)
    )
    return Verdict(lowered_for(Severity.ERROR, [off, n]), message, (*related(off), *related(n)))


def _is_off(value: object) -> bool:
    return isinstance(value, int) and not value


def _finding(project: Project, ref: Ref, judge: Callable[[str], Verdict | None]) -> Iterator[Finding]:
    rewrite = None
    if isinstance(ref.expr, Constant):
        rewrite = Rewrite(Applicability.SAFE, TITLE, (ReplaceExpression(ref.place, "True"),))
    yield from judged(project, CODE, ref.place, judge, rewrite)


RULE = Rule(
    code=CODE,
    name="data-pre-proc-disabled",
    summary="The offload of data preprocessing is switched off while iterations_per_loop > 1.",
    severity="error",
    fix="safe for a literal, else manual",
    sources=("SEED-ITER", "DOC-ITER", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
