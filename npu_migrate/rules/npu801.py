"""
## What it does

Finds `get_rank_id`, `get_rank_size`, `create_group` and their like where no session can have run yet, in a
program that calls neither `npu_ops.initialize_system()` nor `init_resource()`.

## Why

These functions ask the collective communication, which is initialized when the NPU is started: by the first
session that runs there, or by hand. Before that they end with "get rank id error".

## Example

```python
from npu_bridge.npu_init import *

rank = get_rank_id()
dataset = dataset.shard(get_rank_size(), rank)
```

## Use instead

```python
from npu_bridge.npu_init import *

session, shutdown = init_resource()
rank = get_rank_id()
dataset = dataset.shard(get_rank_size(), rank)
...
shutdown_resource(session, shutdown)
close_session(session)
```

A function that is passed on, such as a `model_fn`, has no finding: who calls it when is not in sight.

## Fix safety

No edit: the session has to stay open until training is over, and which options it needs is for you to say.

## Sources

FAQ:get_rank_id_error_distributed_training; OTH:init_collective_communication.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Finding, Severity
from npu_migrate.index.facts import Call, last_name
from npu_migrate.project.project import Project
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.training.distributed.early_questions import early_questions

CODE = "NPU801"
MESSAGE = (
    "{function} needs the collective communication, which nothing has initialized here: call init_resource() "
    "before, and shutdown_resource() at the end"
)


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per question that comes too early."""
    for call in early_questions(project):
        if call.key in project.targets:
            assert isinstance(call.expr, Call)
            message = MESSAGE.format(function=last_name(call.expr.func))
            place = last_token(call.key, call.expr.func)
            yield Finding(CODE, Severity.WARNING, message, place, programs=project.programs_of(call.key))


RULE = Rule(
    code=CODE,
    name="rank-before-initialization",
    summary="A question for the rank before the communication is initialized.",
    severity="warning",
    fix="manual",
    sources=("FAQ", "OTH"),
    documentation=__doc__ or "",
    check=check,
)
