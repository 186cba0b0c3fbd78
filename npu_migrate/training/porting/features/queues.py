"""The queues that training reads from (DOC-RESTR, OPS:tf_train_batch_manual_port)."""

from __future__ import annotations

from typing import Literal, NamedTuple

from npu_migrate.index.facts import Call, argument
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.values.evidence import evidence
from npu_migrate.semantics.values.value import Value, is_integer
from npu_migrate.training.npu.config_reach import makes_dataset
from npu_migrate.training.npu.device_loop import optimizes
from npu_migrate.training.npu.offload import offloading, offloads
from npu_migrate.training.npu.readings import fetched_sources, input_calls, trained_estimators, trains
from npu_migrate.training.pipelines.reachability import is_reached
from npu_migrate.training.porting.features.found import Found, calls_among, mentions_among
from npu_migrate.training.porting.programs import npu_programs_of
from npu_migrate.training.porting.ways import may_run
from npu_migrate.training.reading.session_fetches import all_fetchings

_THREADS_POSITION = 2
_BATCH = "tensorflow.train.batch"
_QUEUES = frozenset(
    f"tensorflow.train.{name}"
    for name in (
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
)


Reader = Literal["training", "other", "nobody"]
"""Who reads from a queue: a run or an Estimator that trains; runs that do not; or nobody is seen to."""


class Reading(NamedTuple):
    """How a program on the NPU trains from a queue.

    `n` are the values of ``iterations_per_loop`` there, as far as they are known; `threads` is the number of
    threads that ``tf.train.batch`` gets, if it is another than 1.
    """

    n: tuple[Value, ...]
    threads: Value | None


def queues(project: Project) -> tuple[Found, ...]:
    """The calls that make a queue to read from, in order of file and place."""
    return calls_among(project, _QUEUES)


def kept_queues(project: Project) -> tuple[Found, ...]:
    """Where a function that makes such a queue is kept or handed on, to be called by another name."""
    return mentions_among(project, _QUEUES)


def read_in_training(project: Project, queue: Found, program: str) -> Reading | None:
    """How the training of a program reads from a queue; None if it does not, or not on the NPU."""
    call = queue.ref
    if not is_reached(project, call, program):
        return None
    known = tuple(n for offload in offloads(project) if (n := offloading(project, offload, program)).is_known)
    if not known and program not in npu_programs_of(project, call.key):
        return None
    reader = _reader(project, call, program)
    in_doubt = makes_dataset(project, program) or not (known or optimizes(project, program))
    if reader == "other" or (reader == "nobody" and in_doubt):
        return None
    return Reading(known, None if known else _threads(project, queue, program))


@once
def _reader(project: Project, call: Ref, program: str) -> Reader:
    """Who is seen to read from a queue in a program."""
    files = project.programs.by_entry[program].files
    reader: Reader = "nobody"
    for fetching in all_fetchings(project):
        if fetching.call.key in files and may_run(project, fetching.call, program):
            sources = fetched_sources(project, fetching)
            if any(one.expr is call.expr for one in sources.calls):
                if trains(sources):
                    return "training"
                reader = "other"
    estimators = (one for one in trained_estimators(project) if one.key in files)
    is_input = any(id(call.expr) in input_calls(project, one) for one in estimators)
    return "training" if is_input else reader


def _threads(project: Project, queue: Found, program: str) -> Value | None:
    if not isinstance(queue.ref.expr, Call):
        return None
    given = argument(queue.ref.expr, "num_threads", _THREADS_POSITION)
    if given is None or queue.name != _BATCH:
        return None
    value = evidence(project, queue.ref._replace(expr=given), program)
    return value if value.every(lambda n: is_integer(n) and n != 1) else None
