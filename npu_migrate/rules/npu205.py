"""
## What it does

Finds `iterations_per_loop` greater than 1 together with `mix_compile_mode` True, in an `NPURunConfig` or in
the parameter map of an `NpuOptimizer` entry.

## Why

In mixed computing some operators run on the host, so the device cannot run several steps on its own.
`NPURunConfig` raises `ValueError`; in a session config nothing warns you before the training goes wrong.

## Example

```python
config = NPURunConfig(iterations_per_loop=100, mix_compile_mode=True)
```

## Use instead

```python
config = NPURunConfig(iterations_per_loop=1, mix_compile_mode=True)
```

## Fix safety

Unsafe: `iterations_per_loop` becomes 1, also where the session's loop is set up, on the assumption that mixed
computing is needed. If it is not, remove `mix_compile_mode` instead.

## Sources

SEED-ITER; DOC-MIXC; CODE:npu_config.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Applicability, Finding, Rewrite, Severity
from npu_migrate.index.facts import Call
from npu_migrate.intents import ReplaceExpression
from npu_migrate.knowledge import npu
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.offload import described
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, lowered_for, telling
from npu_migrate.semantics.values.value import describe, related
from npu_migrate.training.npu.device_loop import LoopPart
from npu_migrate.training.npu.looped_ops import linked_parts
from npu_migrate.training.npu.offload import Offload, iterations, offloading, offloads, switch

CODE = "NPU205"
TITLE = "Set iterations_per_loop to 1, as mixed computing needs"
MESSAGE = "{n}, but mixed computing needs iterations_per_loop = 1: {mix}"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per config that asks for both."""
    for offload in offloads(project):
        given = iterations(project, offload).given
        parts = linked_parts(project, offload)
        judge = partial(_judge, project, offload)
        if given is not None:
            yield from judged(project, CODE, given.place, judge, _set_to_one(given, parts))
        elif isinstance(offload.ref.expr, Call):
            yield from judged(project, CODE, last_token(offload.ref.key, offload.ref.expr.func), judge)


def _judge(project: Project, offload: Offload, program: str) -> Verdict | None:
    n = offloading(project, offload, program)
    mix = switch(project, offload, npu.MIX_COMPILE_MODE, program)
    if not n.is_known or not mix.every(lambda value: value is True or value == 1):
        return None
    loop, mixed = telling(n), telling(mix)
    message = MESSAGE.format(n=described(project, loop), mix=describe(project, npu.MIX_COMPILE_MODE, mixed))
    severity = lowered_for(Severity.ERROR, [loop, mixed])
    return Verdict(severity, message, (*related(loop), *related(mixed)))


def _set_to_one(given: Ref, parts: tuple[LoopPart, ...]) -> Rewrite:
    places = [given, *(part.n for part in parts if part.n is not None)]
    intents = tuple(dict.fromkeys(ReplaceExpression(ref.place, "1") for ref in places))
    return Rewrite(Applicability.UNSAFE, TITLE, intents)


RULE = Rule(
    code=CODE,
    name="offload-in-mixed-computing",
    summary="iterations_per_loop > 1 in mixed computing mode.",
    severity="error",
    fix="unsafe",
    sources=("SEED-ITER", "DOC-MIXC", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
