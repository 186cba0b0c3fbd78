"""
## What it does

Finds sessions that restore a checkpoint and only predict, in programs that do not train.

A session that gives variables their first values is left alone: what is restored needs none, so perhaps it
trains. Where not all that it runs is seen, a file that gives variables first values is.

With `--port` the rule looks at all programs, without it at none.

## Why

A program that only predicts is left alone by NPU701: it may be meant for any device. If it is to run on the
NPU, its session needs the entry, too, and `graph_run_mode` 0: the default, 1, is for training.

## Example

```python
saver = tf.train.Saver()
with tf.Session() as sess:
    saver.restore(sess, path)
    print(sess.run(prediction, {x: batch}))
```

## Use instead

```python
npu_config = tf.ConfigProto()
custom_op = npu_config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["graph_run_mode"].i = 0
npu_config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
npu_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
npu_config.allow_soft_placement = True
with tf.Session(config=npu_config) as sess:
    saver.restore(sess, path)
    print(sess.run(prediction, {x: batch}))
```

## Fix safety

Unsafe: only you know whether this program is to run on the NPU.

## Sources

DOC-INFER; DOC-PORT; CODE:npu_config.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Applicability, Finding, Rewrite, Severity
from npu_migrate.index.facts import Call
from npu_migrate.project.project import Project
from npu_migrate.rules.places import last_token
from npu_migrate.rules.porting import NO_EDIT, of_ported_programs
from npu_migrate.rules.rule import Rule
from npu_migrate.training.porting.inference import inference_sessions
from npu_migrate.training.porting.session_edits import plan_session
from npu_migrate.training.porting.to_move import ported_programs

CODE = "NPU704"
TITLE = "Give the session an NpuOptimizer entry for inference"
MESSAGE = "this session restores a checkpoint and predicts: without an NpuOptimizer entry it stays on the CPU"
INFERENCE = (("graph_run_mode", "i", "0"),)


@of_ported_programs
def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per session that only predicts."""
    for opening in inference_sessions(project):
        programs = ported_programs(project, opening.call.key)
        if opening.call.key not in project.targets or not project.options.port or not programs:
            continue
        assert isinstance(opening.call.expr, Call)
        edit = plan_session(project, opening, INFERENCE)
        message = NO_EDIT.format(message=MESSAGE, reason=edit.obstacle) if edit.obstacle else MESSAGE
        rewrite = Rewrite(Applicability.UNSAFE, TITLE, edit.intents) if edit.intents else None
        place = last_token(opening.call.key, opening.call.expr.func)
        yield Finding(CODE, Severity.INFO, message, place, (), rewrite, programs)


RULE = Rule(
    code=CODE,
    name="inference-session",
    summary="A session of a ported program that only restores and predicts.",
    severity="info",
    fix="unsafe",
    sources=("DOC-INFER", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
