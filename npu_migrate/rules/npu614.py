"""
## What it does

Finds calls of `NPUEstimator` without an `NPURunConfig`, with TensorFlow's `RunConfig`, or with arguments that
only `TPUEstimator` takes.

## Why

The constructor raises `ValueError` for any other config, and `TypeError` for arguments that it does not have.

## Example

```python
estimator = NPUEstimator(model_fn, config=tf.estimator.RunConfig(), use_tpu=False)
```

## Use instead

```python
estimator = NPUEstimator(model_fn, config=NPURunConfig())
```

## Fix safety

No edit: which options the `NPURunConfig` needs is for you to decide.

## Sources

CODE:npu_estimator.py; DOC-EST.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from npu_migrate.findings import Finding, Severity
from npu_migrate.index.facts import Call, Constant, argument
from npu_migrate.knowledge import npu
from npu_migrate.knowledge.npu_calls import ESTIMATOR_PARAMETERS, TPU_ARGUMENTS
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.options import plain_finding
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.semantics.calls.passing import passed_objects
from npu_migrate.semantics.calls.signatures import keyword_name, unknown_keywords
from npu_migrate.semantics.each_once import EachOnce
from npu_migrate.semantics.flow import externals_called, origins
from npu_migrate.training.npu.config_reach import RUN_CONFIGS
from npu_migrate.training.npu.configs import calls_of
from npu_migrate.training.npu.trainings import configs_of

CODE = "NPU614"
NO_CONFIG = "NPUEstimator needs config, an NPURunConfig: ValueError"
OTHER_CONFIG = "the config of an NPUEstimator must be an NPURunConfig: ValueError"
TPU_ARGUMENT = "NPUEstimator has no argument {name}, which is TPUEstimator's: TypeError"
UNKNOWN = "NPUEstimator has no argument {name}: TypeError"

_CONFIG = "config"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per refused call, and one per argument that the constructor does not have."""
    for call in calls_of(project, npu.NPU_ESTIMATOR):
        message = _config(project, call)
        if message is not None:
            place = last_token(call.key, cast(Call, call.expr).func)
            yield from plain_finding(project, CODE, Severity.ERROR, message, place)
        for keyword in unknown_keywords(call, ESTIMATOR_PARAMETERS):
            name = cast(str, keyword.name)
            is_tpu = name in TPU_ARGUMENTS
            said = (TPU_ARGUMENT if is_tpu else UNKNOWN).format(name=name)
            severity = Severity.ERROR if is_tpu else Severity.WARNING
            yield from plain_finding(project, CODE, severity, said, keyword_name(call.key, keyword))


def _config(project: Project, call: Ref) -> str | None:
    """What is wrong with the config of an Estimator for certain."""
    passed = passed_objects(project, call, _CONFIG, ESTIMATOR_PARAMETERS.index(_CONFIG))
    if passed.certain and not passed.values:
        return NO_CONFIG
    configs = configs_of(project, call)
    if configs and all(_is_other(project, config) for config in configs):
        return OTHER_CONFIG
    return None


def _is_other(project: Project, config: Ref) -> bool:
    """Whether a config is None or TensorFlow's for certain."""
    configs = EachOnce([config])
    for one in configs:
        expr = one.expr
        names = externals_called(project, one) if isinstance(expr, Call) else frozenset[str]()
        if isinstance(expr, Call) and names == {npu.RUN_CONFIG_HELPER}:
            # It hands back the config that it gets.
            given = argument(expr, "run_config", 0)
            configs.add(*(() if given is None else origins(project, one._replace(expr=given, path=()))))
        elif isinstance(expr, Constant):
            if expr.value is not None:
                return False
        elif not names or not names <= RUN_CONFIGS:
            return False
    return True


RULE = Rule(
    code=CODE,
    name="npu-estimator-call",
    summary="An NPUEstimator without an NPURunConfig, or with arguments of TPUEstimator.",
    severity="error; warning for an argument that is not known",
    fix="manual",
    sources=("CODE", "DOC-EST"),
    documentation=__doc__ or "",
    check=check,
)
