"""
## What it does

Finds sessions with an NPU config that are neither a `with` block's nor closed.

## Why

Closing the session releases what it holds on the device. The vendor's documents ask for it: without it a
process may end with an error, and the next one find its memory taken.

A session that is handed on or kept where it cannot be followed is no finding.

## Example

```python
sess = tf.Session(config=config)
sess.run(train_op)
```

## Use instead

```python
with tf.Session(config=config) as sess:
    sess.run(train_op)
```

## Fix safety

No edit: where the session is needed last is for you to decide.

## Sources

DOC-PORT.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Finding, Severity
from npu_migrate.index.facts import Call
from npu_migrate.project.project import Project
from npu_migrate.rules.options import plain_finding
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.training.npu.options.closing import unclosed_sessions

CODE = "NPU618"
MESSAGE = (
    "nobody closes this session, which keeps what it has on the NPU: close it, or open it in a with block"
)


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per session that stays open."""
    for session in unclosed_sessions(project):
        assert isinstance(session.expr, Call)
        place = last_token(session.key, session.expr.func)
        yield from plain_finding(project, CODE, Severity.INFO, MESSAGE, place)


RULE = Rule(
    code=CODE,
    name="session-not-closed",
    summary="A session on the NPU that nobody closes.",
    severity="info",
    fix="manual",
    sources=("DOC-PORT",),
    documentation=__doc__ or "",
    check=check,
)
