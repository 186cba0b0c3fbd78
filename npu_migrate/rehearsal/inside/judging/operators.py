"""Types and operations that the device does not have."""

from __future__ import annotations

import re
from typing import Iterator

from ..events import Verdict
from ..graphs.operations import VARIABLES
from .seen import Seen

_DTYPES = frozenset(["float64", "complex64", "complex128"])
_CARRIERS = re.compile(
    r"^(?:Const|Cast|Identity\w*|Placeholder\w*|IteratorGetNext\w*|OneShotIterator|NoOp|Shape|Pack|Assert"
    r"|(?:Restore|Save)\w*|\w*Summary\w*|\w*Queue\w*|PyFunc\w*|EagerPyFunc|ReadVariableOp|Variable\w*)$"
)
_ON_HOST = re.compile(
    r"^(?:PyFunc|PyFuncStateless|EagerPyFunc|Parse\w*Example\w*|Decode(?:Raw|CSV|Jpeg|Png|Bmp|Gif|Image)\w*"
    r"|String(?:Split|SplitV2|ToNumber|ToHashBucket\w*|Lower|Upper|Strip|NGrams)|Regex\w+|StaticRegex\w+"
    r"|Substr|ReadFile|WholeFileReader\w*)$"
)


def judge(seen: Seen) -> Iterator[Verdict]:
    """The verdicts on the operations of a run that goes to the device.

    What fills queues, and what writes and reads checkpoints, is the host's in any case.
    """
    if seen.run.host or seen.session.options.mixed:
        return
    if seen.pruned.matching("QueueEnqueue") or seen.pruned.of("SaveV2", "RestoreV2", "Save", "Restore"):
        return
    if seen.pruned.of(*VARIABLES):
        # Without variables it is no model: data that is prepared in a run of its own.
        yield from _host_operations(seen)
    yield from _types(seen)


def _host_operations(seen: Seen) -> Iterator[Verdict]:
    for kind in sorted(seen.pruned.types):
        if _ON_HOST.match(kind):
            for operation in seen.pruned.of(kind):
                arguments = {"op": operation.name, "type": kind}
                yield Verdict("NPU725", "host-op", "warning", arguments, seen.line_of(operation))


def _types(seen: Seen) -> Iterator[Verdict]:
    if not seen.run.trains:
        return
    found = {}
    for kind in seen.pruned.types:
        if not _CARRIERS.match(kind):
            for operation in seen.pruned.of(kind):
                for output in operation.outputs:
                    if output.dtype.base_dtype.name in _DTYPES:
                        found[operation] = output.dtype.base_dtype.name
    if found:
        # All that follows from the first one, its gradients too, has its type.
        first = next(one for one in seen.session.graph.get_operations() if one in found)
        arguments = {"op": first.name, "dtype": found[first]}
        yield Verdict("NPU724", "dtype-unsupported", "warning", arguments, seen.line_of(first))
