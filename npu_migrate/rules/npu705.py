"""
## What it does

Finds plain Estimators that train and could be an `NPUEstimator`. The rule speaks only if it is selected by
its exact code: `--port --select NPU705`.

## Why

NPU702 keeps the Estimator and moves its session. `NPUEstimator` is the other way: it writes the session's
entry itself, moves the preprocessing of `tf.data` to the device, broadcasts the variables of several devices,
and takes the options of the NPU as arguments of its `NPURunConfig`. Which of the two it is to be is a matter
of taste, as long as there is one device.

## Example

```python
config = tf.estimator.RunConfig(model_dir="/tmp/model")
estimator = tf.estimator.Estimator(model_fn, config=config)
```

## Use instead

```python
config = NPURunConfig(
    model_dir="/tmp/model",
    save_checkpoints_secs=600,
    save_summary_steps=100,
    session_config=tf.ConfigProto(allow_soft_placement=True),
)
estimator = NPUEstimator(model_fn, config=config)
```

## Fix safety

Unsafe: the constructor of `NPUEstimator` fails unless the launcher has set `JOB_ID`. What `RunConfig` has as
default is written out, because `NPURunConfig` has other defaults. There is a fix only if the `RunConfig` is
made in view, by keywords, for nothing but Estimators, and if the model function returns `EstimatorSpec`s.

## Sources

CODE:npu_config.py; CODE:npu_estimator.py; DOC-PORT.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Finding, Rewrite, Severity
from npu_migrate.project.project import Project
from npu_migrate.rules.porting import NO_EDIT, advised, of_ported_programs
from npu_migrate.rules.rule import Rule
from npu_migrate.training.porting.npu_estimators import npu_estimator_routes

CODE = "NPU705"
TITLE = "Make it an NPUEstimator"
MESSAGE = "this Estimator could be an NPUEstimator, if the launcher sets JOB_ID"


@of_ported_programs
def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per plain Estimator."""
    for made, edit in npu_estimator_routes(project):
        message = NO_EDIT.format(message=MESSAGE, reason=edit.obstacle) if edit.obstacle else MESSAGE
        rewrite = Rewrite(edit.applicability, TITLE, edit.intents) if edit.intents else None
        yield from advised(project, CODE, made, message, Severity.INFO, rewrite)


RULE = Rule(
    code=CODE,
    name="npu-estimator-route",
    summary="A plain Estimator that could be an NPUEstimator.",
    severity="info; only when selected by its exact code",
    fix="unsafe; manual where its config or its model function is not in view",
    sources=("DOC-PORT", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
