"""
## What it does

Finds an `NPUEstimator` that gets another `model_dir` than its `NPURunConfig`.

## Why

The constructor raises `ValueError`: it takes the folder from either of the two, and both have to be the same.

## Example

```python
config = NPURunConfig(model_dir="model")
estimator = NPUEstimator(model_fn, "output", config)
```

## Use instead

```python
config = NPURunConfig(model_dir="model")
estimator = NPUEstimator(model_fn, config=config)
```

## Fix safety

No edit: which folder is meant is for you to decide.

## Sources

DOC-RC; CODE:npu_estimator.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Finding, Related, Severity
from npu_migrate.knowledge import npu
from npu_migrate.knowledge.npu_calls import ESTIMATOR_PARAMETERS
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, lowered_for
from npu_migrate.semantics.calls.signatures import given
from npu_migrate.semantics.values.value import describe, related
from npu_migrate.training.npu.configs import calls_of, run_config_setting, run_configs
from npu_migrate.training.npu.trainings import configs_of

CODE = "NPU613"
MESSAGE = "{mine} for NPUEstimator, but {theirs} in its NPURunConfig: ValueError"
THERE = "the NPURunConfig is told here"

_FOLDER = "model_dir"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per Estimator whose folder differs from its config's."""
    for estimator in calls_of(project, npu.NPU_ESTIMATOR):
        mine = given(project, estimator, ESTIMATOR_PARAMETERS, _FOLDER)
        if mine is not None:
            yield from judged(
                project, CODE, mine.place.place, partial(_judge, project, estimator), asked=estimator.key
            )


def _judge(project: Project, estimator: Ref, program: str) -> Verdict | None:
    mine = given(project, estimator, ESTIMATOR_PARAMETERS, _FOLDER, program)
    configs = configs_of(project, estimator)
    known = {id(call.expr) for call in run_configs(project)}
    if mine is None or len(configs) != 1 or id(configs[0].expr) not in known:
        return None
    theirs = run_config_setting(project, configs[0], _FOLDER, program)
    one, other = mine.value.only, None if theirs is None else theirs.value.only
    if theirs is None or one is None or other is None or not _differ(one.constant, other.constant):
        return None
    message = MESSAGE.format(mine=describe(project, _FOLDER, one), theirs=describe(project, _FOLDER, other))
    places = () if theirs.given is None else (Related(theirs.given.place, THERE),)
    severity = lowered_for(Severity.ERROR, [one, other])
    return Verdict(severity, message, (*places, *related(one), *related(other)))


def _differ(one: object, other: object) -> bool:
    """Whether two folders are given, and written differently."""
    return bool(one) and bool(other) and one != other


RULE = Rule(
    code=CODE,
    name="model-dir-differs",
    summary="An NPUEstimator with another model_dir than its NPURunConfig.",
    severity="error",
    fix="manual",
    sources=("DOC-RC", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
