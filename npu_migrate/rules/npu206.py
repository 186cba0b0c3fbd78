"""
## What it does

Finds a session config whose `iterations_per_loop` differs from the value that the session's loop is set up
with: in `set_iteration_per_loop`, `load_iteration_per_loop_var` or `SetIterationsVarHook`.

## Why

The two have to be equal: the value in the session config tells the runtime how often the operation that the
function made will be repeated, and the runtime compares them.

## Example

```python
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["iterations_per_loop"].i = 100
with tf.Session(config=config) as sess:
    train_op = util.set_iteration_per_loop(sess, train_op, 10)
```

## Use instead

```python
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["iterations_per_loop"].i = 100
with tf.Session(config=config) as sess:
    train_op = util.set_iteration_per_loop(sess, train_op, 100)
```

Better still, let both read the same constant or flag.

## Fix safety

There is no edit: which of the two values is meant is for you to say.

## Sources

DOC-ITER; DOC-PERF-S.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Finding, Related, Severity
from npu_migrate.index.facts import Call
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.rules.offload import described, one_per_place
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, lowered_for, telling
from npu_migrate.semantics.values.evidence import evidence
from npu_migrate.semantics.values.value import Value, constant, describe, is_count, related
from npu_migrate.training.npu.configs import is_offloading
from npu_migrate.training.npu.device_loop import LoopPart
from npu_migrate.training.npu.looped_ops import linked_parts
from npu_migrate.training.npu.offload import Offload, iterations, offloads

CODE = "NPU206"
MESSAGE = "the loop is set up with {loop}, but the session config says {n}: the two must be equal"
SET_HERE = "the session config's iterations_per_loop"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per value of a loop that differs from its session's."""
    return one_per_place(
        finding
        for offload in offloads(project)
        if iterations(project, offload).given is not None
        for part in linked_parts(project, offload)
        for finding in judged(project, CODE, place_of(part), partial(_judge, project, offload, part))
    )


def place_of(part: LoopPart) -> Place:
    """The value that a loop is set up with; the call where it leaves it out."""
    assert isinstance(part.call.expr, Call)
    return last_token(part.call.key, part.call.expr.func) if part.n is None else part.n.place


def _judge(project: Project, offload: Offload, part: LoopPart, program: str) -> Verdict | None:
    setting = iterations(project, offload, program)
    n, loop = setting.value, _value_of(project, part, program)
    if not (n.every(is_offloading) or loop.every(is_offloading)) or setting.given is None:
        return None
    if not (n.every(is_count) and loop.every(is_count)):
        return None
    if {known.constant for known in n.alternatives} & {known.constant for known in loop.alternatives}:
        return None
    here, there = telling(loop), telling(n)
    message = MESSAGE.format(loop=describe(project, "N", here), n=described(project, there))
    places = (Related(setting.given.place, SET_HERE), *related(here), *related(there))
    return Verdict(lowered_for(Severity.ERROR, [here, there]), message, places)


def _value_of(project: Project, part: LoopPart, program: str) -> Value:
    return constant(1) if part.n is None else evidence(project, part.n, program)


RULE = Rule(
    code=CODE,
    name="loop-values-differ",
    summary="The session config and the loop on the device have different iterations_per_loop.",
    severity="error",
    fix="manual",
    sources=("DOC-ITER", "DOC-PERF-S"),
    documentation=__doc__ or "",
    check=check,
)
