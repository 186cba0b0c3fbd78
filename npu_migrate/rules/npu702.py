"""
## What it does

Finds TensorFlow's Estimators that are trained and whose `RunConfig` has no session config with an
`NpuOptimizer` entry. With `--port` the rule looks at all programs, without it at those in which another
config has the entry already.

## Why

An Estimator makes its session itself, with the `session_config` of its `RunConfig`. Without the entry in it
the training stays on the CPU.

## Example

```python
run_config = tf.estimator.RunConfig(model_dir=model_dir)
estimator = tf.estimator.Estimator(model_fn, config=run_config)
estimator.train(input_fn, max_steps=1000)
```

## Use instead

```python
npu_config = tf.ConfigProto(allow_soft_placement=True)
custom_op = npu_config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_data_pre_proc"].b = True
npu_config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
npu_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
run_config = tf.estimator.RunConfig(model_dir=model_dir, session_config=npu_config)
estimator = tf.estimator.Estimator(model_fn, config=run_config)
estimator.train(input_fn, max_steps=1000)
```

The Estimator, its specs, checkpoints and summaries stay as they are. A `TPUEstimator` is kept too, with
`use_tpu=False`, and its `TPUConfig` is not touched.

Where a program trains an Estimator, and it was not recognised where that is made, the place that trains is
named, once per program, and the entry is to be given by hand.

## Fix safety

Safe: on the CPU the training computes the same. A session config of one's own replaces the one that
Estimators make, so the new one says `allow_soft_placement=True` as that does. Unsafe where the `RunConfig`
comes from where nobody looks: `npu_run_config_init()` puts the entry into it, without `enable_data_pre_proc`.
Unsafe, too, where the program needs more to run on the NPU; the message names the rules. And where it lists
the names of a function or file that gets one more (`locals()`, `globals()`).

## Sources

DOC-PORT; CODE:npu_config.py; CODE:npu_estimator.py; `tf.estimator.RunConfig` of TensorFlow 1.15 [TF].
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Finding
from npu_migrate.index.facts import Call
from npu_migrate.project.project import Project
from npu_migrate.rules.places import last_token
from npu_migrate.rules.porting import (
    moving_finding,
    of_ported_programs,
    programs_to_move,
    unrecognized_findings,
)
from npu_migrate.rules.rule import Rule
from npu_migrate.training.porting.estimators import estimators_to_move, plan_estimator

CODE = "NPU702"
TITLE = "Give the Estimator's session an NpuOptimizer entry"
UNRECOGNIZED = (
    "this program trains an Estimator here, and where it is made was not recognised, so nothing is moved: "
    "give the session_config of its RunConfig an NpuOptimizer entry by hand"
)
MESSAGE = "this Estimator trains, and its session config has no NpuOptimizer entry: it stays on the CPU"


@of_ported_programs
def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per Estimator that trains without the entry, or where one is missed."""
    for made in estimators_to_move(project):
        moved = programs_to_move(project, made.key) if made.key in project.targets else None
        if moved is not None:
            assert isinstance(made.expr, Call)
            place = last_token(made.key, made.expr.func)
            edit = plan_estimator(project, made)
            yield moving_finding(project, CODE, place, moved, MESSAGE, TITLE, edit)
    yield from unrecognized_findings(project, CODE, "estimator", UNRECOGNIZED)


RULE = Rule(
    code=CODE,
    name="estimator-not-on-npu",
    summary="An Estimator that trains without an NpuOptimizer entry in its session config.",
    severity="error; warning in programs that have something of npu_bridge already",
    fix="safe; unsafe where the RunConfig is not in view, or where the program needs more",
    sources=("DOC-PORT", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
