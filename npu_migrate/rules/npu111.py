"""
## What it does

Finds a `shuffle` with a buffer of 10,000 elements or more in front of an iterator that is offloaded: what a
session reads whose config sets `enable_data_pre_proc`, or an `NPUEstimator`, which has it on by default.
`shuffle_and_repeat` counts too. Slices of a tensor and names of files that are shuffled before anything is
made of them are no finding: they lie in memory, and a large buffer of them is filled at once.

## Why

Before the first batch the whole buffer is filled. With the offload the device has already started and waits;
where filling takes too long, it gives up with a time-out (E30008). How long is too long depends on the
records: ten thousand decoded images were seen to be too many, numbers of a few bytes are not.

## Example

```python
dataset = dataset.map(decode_image).shuffle(buffer_size=100000)
```

## Use instead

```python
dataset = dataset.shuffle(buffer_size=5000).map(decode_image)
```

Shuffle before decoding, take a smaller buffer, or raise `op_execute_timeout`. Without the offload
(`enable_data_pre_proc` = False) nobody waits for the buffer, but each step waits for its data.

## Fix safety

There is no edit: which buffer is small enough only the data can tell.

## Sources

FAQ:shuffle_buffer_timeout_fix; FAQ:getnext_timeout_e30008_error.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Finding, Severity
from npu_migrate.index.facts import Attribute, Call, argument, last_name
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, telling
from npu_migrate.semantics.flow import externals_called
from npu_migrate.semantics.values.evidence import evidence
from npu_migrate.semantics.values.value import describe, is_integer, related
from npu_migrate.training.npu.readings import offloaded_calls
from npu_migrate.training.pipelines.datasets import holds_records, lies_in_memory
from npu_migrate.training.porting.programs import npu_programs_of

CODE = "NPU111"
MESSAGE = (
    "{size}: the first batch comes when the buffer is full, and the device waits and may give up (E30008); "
    "shuffle before decoding, or take a smaller buffer"
)
OF_RECORDS = (
    "{size}: the first batch comes when the buffer is full, and the device waits and may give up (E30008); "
    "take a smaller buffer if the records are large"
)
SUBJECT = "buffer_size"

_LARGE = 10_000
_METHOD = "shuffle"
_FUNCTION = "shuffle_and_repeat"
_HOMES = ("tensorflow.data.experimental.", "tensorflow.contrib.data.")


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per large buffer."""
    for name in (_METHOD, _FUNCTION):
        for key, site in project.calls_named(name):
            call = ref_of_call(key, site)
            size = argument(site.call, SUBJECT, 0)
            if size is not None and npu_programs_of(project, key) and _shuffles(project, call, name):
                given = call._replace(expr=size)
                yield from judged(project, CODE, given.place, partial(_judge, project, call, given))


def _shuffles(project: Project, call: Ref, name: str) -> bool:
    """Whether a call shuffles a dataset; what a dataset is made by need not be asked."""
    called = externals_called(project, call)
    if name == _FUNCTION:
        return any(one.startswith(_HOMES) for one in called)
    return isinstance(call.expr, Call) and isinstance(call.expr.func, Attribute)


def _shuffled(project: Project, call: Ref) -> Ref | None:
    """The dataset that a call shuffles; of ``shuffle_and_repeat`` the one that it is applied to."""
    if isinstance(call.expr, Call) and last_name(call.expr.func) == _METHOD:
        return _receiver(call)
    for key, site in project.calls_named("apply"):
        if key == call.key and argument(site.call, "transformation_func", 0) is call.expr:
            return _receiver(ref_of_call(key, site))
    return None


def _receiver(call: Ref) -> Ref | None:
    func = call.expr.func if isinstance(call.expr, Call) else None
    return call._replace(expr=func.value) if isinstance(func, Attribute) else None


def _judge(project: Project, call: Ref, size: Ref, program: str) -> Verdict | None:
    value = evidence(project, size, program)
    is_large = value.every(lambda n: is_integer(n) and n >= _LARGE)
    if not is_large or id(call.expr) not in offloaded_calls(project, program):
        return None
    dataset = _shuffled(project, call)
    if dataset is not None and lies_in_memory(project, dataset):
        return None
    known = telling(value)
    message = OF_RECORDS if dataset is not None and holds_records(project, dataset) else MESSAGE
    return Verdict(Severity.INFO, message.format(size=describe(project, SUBJECT, known)), related(known))


RULE = Rule(
    code=CODE,
    name="large-shuffle-buffer",
    summary="A large shuffle buffer in front of an offloaded iterator.",
    severity="info",
    fix="manual",
    sources=("FAQ",),
    documentation=__doc__ or "",
    check=check,
)
