"""What a run reads from: one-shot iterators, iterators, feeds, queues, shuffle buffers."""

from __future__ import annotations

from typing import Any, Iterator

from ..events import Refusal, Verdict
from ..graphs.operations import GET_NEXT, iterators_read
from .seen import Seen

LARGE_BUFFER = 10000
"""Filling such a buffer may take longer than the device waits (`FAQ:shuffle_buffer_timeout_fix`)."""

_KEEPS_ELEMENTS = frozenset(
    [
        "CacheDataset",
        "OptionsDataset",
        "PrefetchDataset",
        "RepeatDataset",
        "ShardDataset",
        "ShuffleDataset",
        "SkipDataset",
        "TakeDataset",
    ]
)


def judge(seen: Seen) -> Iterator[Verdict]:
    """The verdicts on what one run reads from."""
    yield from _one_shot(seen)
    yield from _offloading(seen)
    yield from _dynamic(seen)
    yield from _loop_without_dataset(seen)
    yield from _queues(seen)
    yield from _shuffling(seen)


def _one_shot(seen: Seen) -> Iterator[Verdict]:
    n = seen.session.options.iterations
    if n <= 1:
        return
    for operation in seen.pruned.of("OneShotIterator"):
        reason = "iterator_per_loop only support 1 when using OneShotIterator: " + operation.name
        yield Verdict(
            "NPU101",
            "one-shot-in-loop",
            "error",
            {"iterator": operation.name, "n": n},
            seen.line_of(operation),
            refusal=Refusal(reason, error=None),
        )


def _offloading(seen: Seen) -> Iterator[Verdict]:
    options = seen.session.options
    if options.iterations <= 1 or options.mixed or options.flag("enable_data_pre_proc"):
        return
    if not seen.run.trains and not seen.run.looped:
        return
    option = options.keys.get("enable_data_pre_proc")
    code, kind = ("NPU104", "pre-proc-missing")
    if option is not None and option.field == "b":
        code, kind = ("NPU105", "pre-proc-disabled")
    for operation in iterators_read(seen.pruned):
        yield Verdict(
            code,
            kind,
            "error",
            {"iterator": operation.name, "n": options.iterations},
            seen.line_of(operation),
            ((seen.session.place, "session"),),
            Refusal("iterations_per_loop is greater than 1, but enable_data_pre_proc is off", error=None),
        )


def _dynamic(seen: Seen) -> Iterator[Verdict]:
    found = seen.pruned.of(*GET_NEXT)
    if len(found) > 1 and seen.session.options.text("dynamic_dims"):
        yield Verdict(
            "NPU604",
            "getnexts-with-dynamic-dims",
            "error",
            {"count": len(found)},
            seen.line_of(found[0]),
            refusal=Refusal("dynamic dims func can not support graph with more than one getnext", error=None),
        )


def _loop_without_dataset(seen: Seen) -> Iterator[Verdict]:
    n = seen.session.options.iterations
    if n <= 1 or not seen.run.looped or seen.pruned.of(*GET_NEXT, "OneShotIterator"):
        return
    fed = sorted(name for name, _ in seen.pruned.wanted.feeds)
    if fed:
        arguments = {"n": n, "placeholders": fed}
        yield Verdict("NPU107", "fed-by-host", "warning", arguments, seen.place)
    elif seen.pruned.matching("QueueDequeue"):
        yield Verdict("NPU107", "nothing-to-loop", "warning", {"n": n}, seen.place)


def _queues(seen: Seen) -> Iterator[Verdict]:
    if seen.session.options.iterations > 1 or not seen.run.trains:
        return
    for operation in seen.pruned.matching("QueueDequeue"):
        # `numpy_input_fn` and its like have a queue of their own, which no document speaks against.
        if not operation.inputs[0].op.name.startswith("enqueue_input/"):
            yield Verdict("NPU726", "queue-input", "info", {"op": operation.name}, seen.line_of(operation))
            return


def _shuffling(seen: Seen) -> Iterator[Verdict]:
    if not seen.session.options.flag("enable_data_pre_proc"):
        return
    for _, dataset in seen.run.makers:
        for operation in dataset.operations:
            size = _buffer_size(operation)
            if size is not None and size >= LARGE_BUFFER and not _of_slices(operation.inputs[0].op):
                yield Verdict("NPU111", "large-buffer", "info", {"size": size}, seen.line_of(operation))


def _of_slices(dataset: Any) -> bool:
    """Whether the elements are slices of a tensor: they lie in memory, a buffer is filled at once."""
    while dataset.type in _KEEPS_ELEMENTS:
        dataset = dataset.inputs[0].op
    return bool(dataset.type == "TensorSliceDataset")


def _buffer_size(operation: Any) -> int | None:
    if not operation.type.startswith("Shuffle") or len(operation.inputs) < 2:
        return None
    constant = operation.inputs[1].op
    if constant.type != "Const":
        return None
    values = constant.get_attr("value")
    found = values.int64_val or values.int_val
    if len(found) == 1:
        return int(found[0])
    return int.from_bytes(values.tensor_content, "little") if values.tensor_content else None
