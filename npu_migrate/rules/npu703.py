"""
## What it does

Finds models of `tf.keras` that are trained in graph mode while the program gives Keras no session. With
`--port` the rule looks at all programs, without it at those in which another config has the `NpuOptimizer`
entry already.

## Why

Keras makes its session when it first needs one, without a config, so the training stays on the CPU. A session
that the program sets with `tf.keras.backend.set_session` is what NPU701 looks at.

## Example

```python
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(x, y)
```

## Use instead

```python
npu_config = tf.ConfigProto()
custom_op = npu_config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
npu_config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
npu_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
npu_config.allow_soft_placement = True
tf.keras.backend.set_session(tf.Session(config=npu_config))
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(x, y)
```

The session is set in the script that is started, before its first statement that can lead to Keras.

Where a program trains a model in a way that was not recognised, as by a function that it makes of the model's
`fit`, the place is named, once per program, and the session is to be set by hand.

## Fix safety

Safe: on the CPU the training computes the same. No edit where the program calls `clear_session()` between
models, after which Keras makes a session of its own again, where it opens other sessions, and where a
strategy distributes the model (NPU716). Nor is there one where a module that the script imports makes Keras's
session already, as by loading weights: the training would go on without them. Where the model trains in a
graph of its own, `with graph.as_default():`, the session is set in this block, if it stands in the script
itself; otherwise there is no edit, and none before a later `reset_default_graph()`. Unsafe
where the program lists the names of a function or file that gets one more (`locals()`, `globals()`).

## Sources

DOC-PORT; CODE:npu_config.py; `tensorflow/python/keras/backend.py` of TensorFlow 1.15 [TF].
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Finding
from npu_migrate.index.facts import Call
from npu_migrate.project.project import Project
from npu_migrate.rules.places import last_token
from npu_migrate.rules.porting import (
    Mending,
    moving_finding,
    of_ported_programs,
    programs_to_move,
    unrecognized_findings,
)
from npu_migrate.rules.rule import Rule
from npu_migrate.training.porting.keras import plan_keras, plan_unseen_model, trained_without_session

CODE = "NPU703"
TITLE = "Give Keras a session with an NpuOptimizer entry"
UNRECOGNIZED = (
    "this program trains a model of tf.keras here in a way that was not recognised, so nothing is moved: "
    "set a session whose config has an NpuOptimizer entry by hand, before Keras is first used"
)
MESSAGE = "this model trains in a session that Keras makes without an NpuOptimizer entry: it stays on the CPU"


@of_ported_programs
def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per program that trains with Keras in a session of its making."""
    for training in trained_without_session(project):
        moved = programs_to_move(project, training.key) if training.key in project.targets else None
        if moved is not None:
            assert isinstance(training.expr, Call)
            place = last_token(training.key, training.expr.func)
            edit = plan_keras(project, training)
            yield moving_finding(project, CODE, place, moved, MESSAGE, TITLE, edit)
    unseen = Mending(plan_unseen_model, MESSAGE, TITLE)
    yield from unrecognized_findings(project, CODE, "keras", UNRECOGNIZED, unseen)


RULE = Rule(
    code=CODE,
    name="keras-not-on-npu",
    summary="A tf.keras model that trains in a session without an NpuOptimizer entry.",
    severity="error; warning in programs that have something of npu_bridge already",
    fix="safe, or manual where the program opens or clears sessions",
    sources=("DOC-PORT", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
