"""
## What it does

Finds training that is fed through `feed_dict` or by queue runners (`tf.train.batch`,
`string_input_producer`) while `iterations_per_loop` is greater than 1, in programs that have no `tf.data`
input at all.

## Why

With `iterations_per_loop` > 1 the device runs several steps for each `sess.run` and has to fetch the input of
each step by itself. Only a `tf.data` pipeline can be moved there. What is fed is the same for all steps of a
call: the network sees every batch `iterations_per_loop` times and the rest of the data not at all.

## Example

```python
train_op = util.set_iteration_per_loop(sess, train_op, 10)
for features in batches:
    sess.run(train_op, feed_dict={x: features})
```

## Use instead

```python
iterator = tf.data.make_initializable_iterator(dataset)
x = iterator.get_next()
train_op = util.set_iteration_per_loop(sess, train_op, 10)
sess.run(iterator.initializer)
for _ in range(steps // 10):
    sess.run(train_op)
```

Or keep feeding, and set `iterations_per_loop` to 1.

## Fix safety

There is no edit: the input has to be written anew.

## Sources

SEED-ITER; DOC-ITER.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Finding, Severity
from npu_migrate.index.facts import Call, Constant, Mapping
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.offload import described, one_per_place
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, lowered_for, telling
from npu_migrate.semantics.aliases import aliases_of
from npu_migrate.semantics.flow import externals_called
from npu_migrate.semantics.values.value import UNKNOWN, Value, related
from npu_migrate.training.npu.config_reach import makes_dataset, readers_of
from npu_migrate.training.npu.device_loop import Run, loop_parts, n_of_run, sessions_created, training_runs
from npu_migrate.training.npu.offload import offloading, offloads
from npu_migrate.training.pipelines.reachability import is_reached

CODE = "NPU107"
FED = "the training is fed through feed_dict, which cannot be offloaded, but {n}: read from tf.data"
QUEUED = "the training reads from queues, which cannot be offloaded, but {n}: read from tf.data"

_FEED = "feed_dict"
_FEED_POSITION = 1
_QUEUES = (
    "batch",
    "batch_join",
    "input_producer",
    "maybe_batch",
    "maybe_batch_join",
    "maybe_shuffle_batch",
    "maybe_shuffle_batch_join",
    "range_input_producer",
    "shuffle_batch",
    "shuffle_batch_join",
    "slice_input_producer",
    "string_input_producer",
)


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per fed training call and per queue."""
    return one_per_place([*_fed(project), *_queued(project)])


# -- feed_dict -----------------------------------------------------------------------------------------


def _fed(project: Project) -> Iterator[Finding]:
    for run in training_runs(project) if offloads(project) or loop_parts(project) else ():
        place = _feed_place(run.call)
        if place is not None:
            yield from judged(project, CODE, place, partial(_judge_fed, project, run))


def _feed_place(run: Ref) -> Place | None:
    """The keyword ``feed_dict`` of a call, or its second argument; None if it feeds nothing."""
    call = run.expr
    assert isinstance(call, Call)
    for keyword in call.keywords:
        if keyword.name == _FEED:
            line, column, _, _ = keyword.span
            place = Place(run.key, (line, column, line, column + len(_FEED)))
            return place if _feeds(keyword.value) else None
    if len(call.args) > _FEED_POSITION and _feeds(call.args[_FEED_POSITION]):
        return run._replace(expr=call.args[_FEED_POSITION]).place
    return None


def _feeds(value: object) -> bool:
    return not isinstance(value, Constant) and not (isinstance(value, Mapping) and not value.values)


def _judge_fed(project: Project, run: Run, program: str) -> Verdict | None:
    return _verdict(project, _n_of(project, run, program), FED, program)


def _n_of(project: Project, run: Run, program: str) -> Value:
    """N with which a run trains: of its loop, else of its session."""
    if run.parts:
        return n_of_run(project, run, program)
    sessions = {id(made.expr) for made in sessions_created(project, run.session)}
    for offload in offloads(project):
        if any(id(reader.ref.expr) in sessions for reader in readers_of(project, offload.objects)):
            return offloading(project, offload, program)
    return UNKNOWN


# -- queues --------------------------------------------------------------------------------------------


def _queued(project: Project) -> Iterator[Finding]:
    for name in sorted({*_QUEUES, *aliases_of(project, set(_QUEUES))}):
        for key, site in project.calls_named(name):
            call = Ref(key, site.scope, site.statement, site.call)
            if externals_called(project, call) & {f"tensorflow.train.{queue}" for queue in _QUEUES}:
                place = last_token(key, site.call.func)
                yield from judged(project, CODE, place, partial(_judge_queue, project, call))


def _judge_queue(project: Project, call: Ref, program: str) -> Verdict | None:
    found = [n for offload in offloads(project) if (n := offloading(project, offload, program)).is_known]
    if not found or not is_reached(project, call, program):
        return None
    n = next((value for value in found if not value.is_default), found[0])
    return _verdict(project, n, QUEUED, program)


def _verdict(project: Project, n: Value, message: str, program: str) -> Verdict | None:
    if not n.every(lambda value: isinstance(value, int) and value > 1) or makes_dataset(project, program):
        return None
    known = telling(n)
    severity = lowered_for(Severity.WARNING, [known])
    return Verdict(severity, message.format(n=described(project, known)), related(known))


RULE = Rule(
    code=CODE,
    name="input-not-offloadable",
    summary="Training is fed through feed_dict or queues while iterations_per_loop > 1.",
    severity="warning",
    fix="manual",
    sources=("SEED-ITER", "DOC-ITER"),
    documentation=__doc__ or "",
    check=check,
)
