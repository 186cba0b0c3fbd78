"""
## What it does

Finds ratios of `accelerate_train_mode` that lie outside the range of their trigger: 0.2 to 0.9 for `step`,
1.01 to 1.5 for `loss`, the bounds included. Where the ratio is left out, the rule names the default (advice
only). The session key `experimental_accelerate_train_mode` is treated alike.

## Why

The runtime refuses a ratio outside the range when the graph runs, after the job has been queued. With `step`
the ratio is the part of all steps that is trained with lower precision. With `loss` it is a multiple of the
target loss: training is switched back to the original precision once the loss is below it.

## Example

```python
experimental_config = ExperimentalConfig(accelerate_train_mode="fast|step|0.95")
```

## Use instead

```python
experimental_config = ExperimentalConfig(accelerate_train_mode="fast|step|0.9")
```

## Fix safety

Unsafe: the nearer bound is not the ratio that you asked for. Safe where the ratio is missing: the default is
written out.

## Sources

SEED-EXP; CODE:geop_npu.cc.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from npu_migrate.findings import Applicability, Finding, Rewrite, Severity
from npu_migrate.knowledge.acceleration import DEFAULT_RATIOS, RATIOS, Mode, parse_mode
from npu_migrate.project.project import Project
from npu_migrate.rules.acceleration import replacement_of, shown_at, subject
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, lowered_for, telling
from npu_migrate.semantics.values.value import Value, describe, related
from npu_migrate.training.npu.acceleration import Asked, asked_modes, asked_value

CODE = "NPU302"
TITLE_BOUND = "Use the nearest ratio that is allowed"
TITLE_DEFAULT = "Write the default ratio out"
OUT_OF_RANGE = "{value}: the ratio for {trigger} has to be between {low} and {high}"
MISSING = "{value} has no ratio: {default} counts"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per mode whose ratio is out of range or missing."""
    for asked in asked_modes(project):
        place = shown_at(project, asked)
        if place.path not in project.targets or asked.field not in (None, "s"):
            continue
        judge = partial(_judge, project, asked)
        yield from judged(project, CODE, place, judge, _rewrite(project, asked), asked=asked.owner.key)


def _judge(project: Project, asked: Asked, program: str) -> Verdict | None:
    value = asked_value(project, asked, program)
    if value.every(lambda text: _is(text, _is_out_of_range)):
        return _verdict(project, asked, value, Severity.ERROR, OUT_OF_RANGE)
    if value.every(lambda text: _is(text, _has_no_ratio)):
        return _verdict(project, asked, value, Severity.INFO, MISSING)
    return None


def _verdict(project: Project, asked: Asked, value: Value, severity: Severity, message: str) -> Verdict:
    known = telling(value)
    mode = parse_mode(known.constant)
    assert mode is not None
    low, high = RATIOS[mode.trigger]
    text = message.format(
        value=describe(project, subject(asked), known),
        trigger=mode.trigger,
        low=low,
        high=high,
        default=DEFAULT_RATIOS[mode.trigger],
    )
    return Verdict(lowered_for(severity, value.alternatives), text, related(known))


def _is(text: object, test: Callable[[Mode], bool]) -> bool:
    mode = parse_mode(text) if isinstance(text, str) else None
    return mode is not None and test(mode)


def _is_out_of_range(mode: Mode) -> bool:
    low, high = RATIOS[mode.trigger]
    return mode.ratio is not None and not low <= mode.ratio <= high


def _has_no_ratio(mode: Mode) -> bool:
    return mode.ratio is None


def _rewrite(project: Project, asked: Asked) -> Rewrite | None:
    for applicability, title, change in (
        (Applicability.UNSAFE, TITLE_BOUND, _with_bound),
        (Applicability.SAFE, TITLE_DEFAULT, _with_default),
    ):
        intent = replacement_of(project, asked, change)
        if intent is not None:
            return Rewrite(applicability, title, (intent,))
    return None


def _with_bound(text: str) -> str | None:
    mode = parse_mode(text)
    if mode is None or mode.ratio is None or not _is_out_of_range(mode):
        return None
    low, high = RATIOS[mode.trigger]
    return f"{mode.type}|{mode.trigger}|{low if mode.ratio < low else high}"


def _with_default(text: str) -> str | None:
    mode = parse_mode(text)
    if mode is None or mode.ratio is not None:
        return None
    return f"{mode.type}|{mode.trigger}|{DEFAULT_RATIOS[mode.trigger]}"


RULE = Rule(
    code=CODE,
    name="accelerate-ratio-out-of-range",
    summary="A ratio of accelerate_train_mode outside its range, or none at all.",
    severity="error, or warning for a default; info for a missing ratio",
    fix="unsafe: the nearer bound; safe for a missing ratio",
    sources=("SEED-EXP", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
