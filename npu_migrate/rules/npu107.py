"""
## What it does

Finds training whose input cannot be moved to the device:

- `iterations_per_loop` is greater than 1 and the training is fed through `feed_dict`, so that nothing of what
  it runs is read from `tf.data`;
- the same, where the batches come from `tf.data` but are fetched to the host and fed back;
- `iterations_per_loop` is greater than 1 and queue runners (`tf.train.batch`, `string_input_producer`) feed
  the training;
- queue runners feed a training on the NPU that makes one step per run (advice), and `tf.train.batch` gets
  another `num_threads` than 1 there (advice). With `--port` NPU726 speaks of these.

A run that reads from `tf.data` itself may be fed other things, such as a learning rate or an iterator's
handle.

## Why

With `iterations_per_loop` > 1 the device runs several steps for each `sess.run` and has to fetch the input of
each step by itself. Only a `tf.data` pipeline can be moved there. What is fed is the same for all steps of a
call: the network sees every batch `iterations_per_loop` times and the rest of the data not at all.

The documents allow datasets and placeholders as input and no queues. Many models that keep their queues work
nevertheless, so this is advice while each run makes one step. `tf.train.batch` has to read with one thread on
the NPU.

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

SEED-ITER; DOC-ITER; INTRO; OPS:tf_train_batch_manual_port.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Finding, Severity
from npu_migrate.index.facts import Call, Constant, Mapping
from npu_migrate.places import Place
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.offload import described, one_per_place
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, lowered_for, telling
from npu_migrate.semantics.values.value import UNKNOWN, Value, related
from npu_migrate.training.npu.config_reach import makes_dataset, readers_of
from npu_migrate.training.npu.configs import is_offloading
from npu_migrate.training.npu.device_loop import (
    Run,
    loop_parts,
    n_of_run,
    sessions_created,
    training_runs,
)
from npu_migrate.training.npu.offload import offloading, offloads
from npu_migrate.training.npu.readings import fetched_sources
from npu_migrate.training.pipelines.sessions import operation_run
from npu_migrate.training.porting.features.found import Found
from npu_migrate.training.porting.features.queues import queues, read_in_training
from npu_migrate.training.reading.read_data import Sources, runs_fed_back, sources_of_fetches
from npu_migrate.training.reading.session_fetches import Fetching, all_fetchings

CODE = "NPU107"
FED = "the training is fed through feed_dict, which cannot be offloaded, but {n}: read from tf.data"
FED_BACK = (
    "the batches of the training are fetched to the host and fed back, but {n}: all steps of a run get the "
    "same batch; let the step take them from the iterator"
)
QUEUED = "the training reads from queues, which cannot be offloaded, but {n}: read from tf.data"

ADVISED = (
    "the training reads from queues: on the NPU only tf.data and placeholders are supported, and queues "
    "cannot be offloaded"
)
THREADS = "num_threads is {value}, but tf.train.batch has to read with 1 thread on the NPU: {advice}"

_FEED = "feed_dict"
_FEED_POSITION = 1


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per fed training call and per queue."""
    return one_per_place([*_fed(project), *_queued(project)])


# -- feed_dict -----------------------------------------------------------------------------------------


def _fed(project: Project) -> Iterator[Finding]:
    for run in training_runs(project) if offloads(project) or loop_parts(project) else ():
        place = _feed_place(project, run.call)
        if place is not None:
            yield from judged(project, CODE, place, partial(_judge_fed, project, run))


def _feed_place(project: Project, run: Ref) -> Place | None:
    """The keyword ``feed_dict`` of a call, or what stands in its place; None if it feeds nothing."""
    call = run.expr
    assert isinstance(call, Call)
    for keyword in call.keywords:
        if keyword.name == _FEED:
            line, column, _, _ = keyword.span
            place = Place(run.key, (line, column, line, column + len(_FEED)))
            return place if _feeds(keyword.value) else None
    position = _FEED_POSITION if operation_run(project, run) is None else 0
    if len(call.args) > position and _feeds(call.args[position]):
        return run._replace(expr=call.args[position]).place
    return None


def _feeds(value: object) -> bool:
    return not isinstance(value, Constant) and not (isinstance(value, Mapping) and not value.values)


def _judge_fed(project: Project, run: Run, program: str) -> Verdict | None:
    n = _n_of(project, run, program)
    if not n.every(is_offloading):
        return None
    fetchings = [one for one in all_fetchings(project) if one.call.expr is run.call.expr]
    found = _of_training_runs(project)
    if found.iterators or not found.complete:
        found = sources_of_fetches(project, fetchings)
    if found.iterators:
        return None
    if any(_feeds_batches(project, one) for one in fetchings):
        return _verdict(project, n, FED_BACK)
    is_seen = bool(fetchings) and found.complete
    return None if makes_dataset(project, program) and not is_seen else _verdict(project, n, FED)


@once
def _of_training_runs(project: Project) -> Sources:
    """What all training runs together are made from: mostly there is no need to look at each."""
    runs = {id(run.call.expr) for run in training_runs(project)}
    return sources_of_fetches(project, [f for f in all_fetchings(project) if id(f.call.expr) in runs])


def _feeds_batches(project: Project, fetching: Fetching) -> bool:
    """Whether a run is fed what another one has fetched from a ``tf.data`` iterator."""
    if fetching.feed is None:
        return False
    fetched = runs_fed_back(project, (fetching.feed,))
    return any(
        fetched_sources(project, one).iterators
        for one in all_fetchings(project)
        if id(one.call.expr) in fetched
    )


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
    for queue in queues(project):
        assert isinstance(queue.ref.expr, Call)
        place = last_token(queue.ref.key, queue.ref.expr.func)
        yield from judged(project, CODE, place, partial(_judge_queue, project, queue))


def _judge_queue(project: Project, queue: Found, program: str) -> Verdict | None:
    read = read_in_training(project, queue, program)
    if read is None:
        return None
    if read.n:
        return _verdict(project, next((value for value in read.n if not value.is_default), read.n[0]), QUEUED)
    if project.options.port:
        return None  # NPU726 speaks of it.
    if read.threads is None:
        return Verdict(Severity.INFO, ADVISED)
    threads = telling(read.threads)
    message = THREADS.format(value=threads.constant, advice=ADVISED)
    return Verdict(Severity.INFO, message, related(threads))


def _verdict(project: Project, n: Value, message: str) -> Verdict:
    known = telling(n)
    severity = lowered_for(Severity.WARNING, [known])
    return Verdict(severity, message.format(n=described(project, known)), related(known))


RULE = Rule(
    code=CODE,
    name="input-not-offloadable",
    summary="Training whose input is fed, or comes from queues.",
    severity="warning if iterations_per_loop > 1, else info for queues",
    fix="manual",
    sources=("SEED-ITER", "DOC-ITER", "INTRO", "OPS"),
    documentation=__doc__ or "",
    check=check,
)
