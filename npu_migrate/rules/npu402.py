"""
## What it does

Finds constructor calls of npu_bridge's loss-scaling classes whose arguments do not fit: one is missing,
unknown or of the wrong type, or its value makes no sense.

| argument | must be |
|---|---|
| `loss_scale`, `init_loss_scale` | a number, at least 1 |
| `incr_every_n_steps`, `decr_every_n_nan_or_inf` | an int, at least 1 |
| `incr_ratio` | a number greater than 1 |
| `decr_ratio` | a number between 0 and 1 |
| `enable_overflow_check` | True or False |

`NPULossScaleOptimizer` needs a manager, and so does `NPUOptimizer` with `is_loss_scale=True`.

## Why

A missing or unknown argument raises `TypeError`, a scale below 1 raises `ValueError`. The ratios are factors,
although the documents call them percentages: an `incr_ratio` of 1 or less never raises the scale, a
`decr_ratio` of 1 or more never lowers it.

## Example

```python
manager = ExponentialUpdateLossScaleManager(init_loss_scale=0, incr_every_n_step=1000, decr_ratio=2)
```

## Use instead

```python
manager = ExponentialUpdateLossScaleManager(init_loss_scale=2**32, incr_every_n_steps=1000, decr_ratio=0.5)
```

## Fix safety

No edit: only you know which value is meant.

## Sources

SEED-LS; DOC-FIX; DOC-LSO; DOC-NPUOPT; CODE:npu_loss_scale_manager.py.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from npu_migrate.findings import Finding, Severity
from npu_migrate.index.facts import Call
from npu_migrate.knowledge import loss_scale
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, lowered_for, weigh
from npu_migrate.semantics.calls.signatures import given, missing, surplus, unknown_keywords
from npu_migrate.semantics.values.value import describe, is_count, related
from npu_migrate.training.npu.configs import calls_of

CODE = "NPU402"
WRONG = "{value}: must be {wanted}"
MISSING = "{name} needs {missing}"
UNKNOWN_KEYWORD = "{name} has no parameter {keyword}"
SUGGESTION = "; did you mean {close}?"
TOO_MANY = "{name} takes at most {count} arguments"
NO_MANAGER = "NPUOptimizer with is_loss_scale=True needs a loss_scale_manager"

NUMBER = "a number"
SCALE = "a number, at least 1"
COUNT = "an int, at least 1"
INCREASE = "greater than 1: the scale is multiplied by it"
DECREASE = "between 0 and 1: the scale is multiplied by it"
SWITCH = "True or False"


class Fault(NamedTuple):
    """What is wrong with a value: how bad it is, and what it must be instead."""

    severity: Severity
    wanted: str


Test = Callable[[object], Fault | None]


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per argument that does not fit, and one per call that lacks some."""
    for signature in _SIGNATURES:
        for call in calls_of(project, signature.name):
            if call.key in project.targets:
                yield from _check(project, call, signature)
    for call in calls_of(project, loss_scale.COMBINED_OPTIMIZER):
        if call.key in project.targets:
            yield from _check_combined(project, call)


def _check(project: Project, call: Ref, signature: _Signature) -> Iterator[Finding]:
    name = signature.name.rpartition(".")[2]
    programs = project.programs_of(call.key)
    close = {}
    for keyword in unknown_keywords(call, signature.parameters):
        assert keyword.name is not None
        found = difflib.get_close_matches(keyword.name, signature.parameters, n=1)
        message = UNKNOWN_KEYWORD.format(name=name, keyword=keyword.name)
        message += SUGGESTION.format(close=found[0]) if found else ""
        close.update(dict.fromkeys(found))
        place = Place(call.key, keyword.value.span)
        yield Finding(CODE, Severity.ERROR, message, place, programs=programs)
    for extra in surplus(call, signature.parameters):
        message = TOO_MANY.format(name=name, count=len(signature.parameters))
        yield Finding(CODE, Severity.ERROR, message, extra.place, programs=programs)
    lacking = missing(project, call, signature.parameters, signature.required)
    lacking = tuple(parameter for parameter in lacking if parameter not in close)
    if lacking:
        message = MISSING.format(name=name, missing=" and ".join(lacking))
        yield Finding(CODE, Severity.ERROR, message, _place(call), programs=programs)
    for parameter, test in signature.tests.items():
        yield from _check_value(project, call, signature, parameter, test)


def _check_value(
    project: Project, call: Ref, signature: _Signature, parameter: str, test: Test
) -> Iterator[Finding]:
    found = given(project, call, signature.parameters, parameter)
    if found is None:
        return
    judge = partial(_judge, project, call, signature, parameter, test)
    weighed = weigh(project, call.key, judge)
    if weighed is not None:
        place = _place(call) if found.place.expr is call.expr else found.place.place
        verdict, programs = weighed
        if place.path in project.targets:
            yield Finding(CODE, verdict.severity, verdict.message, place, verdict.related, programs=programs)


def _judge(
    project: Project, call: Ref, signature: _Signature, parameter: str, test: Test, program: str
) -> Verdict | None:
    found = given(project, call, signature.parameters, parameter, program)
    if found is None or not found.value.is_known:
        return None
    faults = [(test(known.constant), known) for known in found.value.alternatives]
    wrong = [(fault, known) for fault, known in faults if fault is not None]
    if len(wrong) < len(faults):
        return None
    fault, known = min(wrong, key=lambda pair: (pair[0].severity, not pair[1].is_default))
    message = WRONG.format(value=describe(project, parameter, known), wanted=fault.wanted)
    severity = lowered_for(fault.severity, found.value.alternatives)
    return Verdict(severity, message, related(known))


def _check_combined(project: Project, call: Ref) -> Iterator[Finding]:
    parameters = loss_scale.COMBINED_OPTIMIZER_PARAMETERS
    scaling = given(project, call, parameters, "is_loss_scale")
    if scaling is None or not scaling.value.every(lambda value: value is True):
        return
    manager = given(project, call, parameters, "loss_scale_manager")
    if missing(project, call, parameters, ("loss_scale_manager",)) or (
        manager is not None and manager.value.every(lambda value: value is None)
    ):
        severity = lowered_for(Severity.ERROR, scaling.value.alternatives)
        yield Finding(CODE, severity, NO_MANAGER, _place(call), programs=project.programs_of(call.key))


def _place(call: Ref) -> Place:
    assert isinstance(call.expr, Call)
    return last_token(call.key, call.expr.func)


# -- what values must be -------------------------------------------------------------------------------


def _scale(value: object) -> Fault | None:
    fits = isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 1
    return None if fits else Fault(Severity.ERROR, SCALE)


def _count(value: object) -> Fault | None:
    fits = is_count(value)
    return None if fits else Fault(Severity.ERROR, COUNT)


def _increase(value: object) -> Fault | None:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return Fault(Severity.ERROR, NUMBER)
    return None if value > 1 else Fault(Severity.WARNING, INCREASE)


def _decrease(value: object) -> Fault | None:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return Fault(Severity.ERROR, NUMBER)
    return None if 0 < value < 1 else Fault(Severity.WARNING, DECREASE)


def _switch(value: object) -> Fault | None:
    return None if isinstance(value, bool) or value in (0, 1) else Fault(Severity.ERROR, SWITCH)


class _Signature(NamedTuple):
    """A constructor: its parameters, those without a default, and what values must be."""

    name: str
    parameters: tuple[str, ...]
    required: tuple[str, ...]
    tests: Mapping[str, Test]


_SIGNATURES = (
    _Signature(
        loss_scale.EXPONENTIAL,
        loss_scale.EXPONENTIAL_PARAMETERS,
        loss_scale.EXPONENTIAL_REQUIRED,
        {
            "init_loss_scale": _scale,
            "incr_every_n_steps": _count,
            "decr_every_n_nan_or_inf": _count,
            "incr_ratio": _increase,
            "decr_ratio": _decrease,
        },
    ),
    _Signature(
        loss_scale.FIXED,
        loss_scale.FIXED_PARAMETERS,
        loss_scale.FIXED_REQUIRED,
        {"loss_scale": _scale, "enable_overflow_check": _switch},
    ),
    _Signature(loss_scale.OPTIMIZER, loss_scale.OPTIMIZER_PARAMETERS, loss_scale.OPTIMIZER_REQUIRED, {}),
)


RULE = Rule(
    code=CODE,
    name="loss-scale-argument-invalid",
    summary="Arguments of npu_bridge's loss-scaling classes that are missing, unknown or out of range.",
    severity="error; ratios: warning",
    fix="manual",
    sources=("SEED-LS", "DOC-FIX", "DOC-LSO", "DOC-NPUOPT", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
