"""
## What it does

Finds `set_iteration_per_loop` where the graph can no longer be changed: with a session of a
`tf.train.Supervisor`, with a `MonitoredTrainingSession` or `MonitoredSession`, and after `graph.finalize()`.

## Why

The function adds operations to the graph. These sessions finalize their graph before they hand it out, so the
call fails with "Graph is finalized and cannot be modified".

## Example

```python
supervisor = tf.train.Supervisor(logdir=logdir)
with supervisor.managed_session(config=config) as sess:
    train_op = util.set_iteration_per_loop(sess, train_op, 10)
```

## Use instead

```python
iteration = util.IterationPerLoop()
train_op = iteration.create_iteration_per_loop_var(train_op)
supervisor = tf.train.Supervisor(logdir=logdir)
with supervisor.managed_session(config=config) as sess:
    iteration.load_iteration_per_loop_var(sess, 10)
```

Nothing is reported where the graph is opened again by `graph._unsafe_unfinalize()`.

## Fix safety

There is no edit: the first half has to run before the session is made.

## Sources

DOC-SETIT; DOC-LOADIT; DOC-ITER.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Finding, Related, Severity
from npu_migrate.index.facts import Attribute, Call
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, lowered_for, telling
from npu_migrate.semantics.flow import externals_called
from npu_migrate.semantics.values.evidence import evidence
from npu_migrate.semantics.values.value import related
from npu_migrate.training.npu.configs import is_offloading
from npu_migrate.training.npu.device_loop import LoopPart, loop_parts, sessions_created
from npu_migrate.training.pipelines.order import certainly_before
from npu_migrate.training.pipelines.sessions import session_kind

CODE = "NPU207"
MESSAGE = (
    "set_iteration_per_loop changes the graph, which {reason}: call create_iteration_per_loop_var before, "
    "and load_iteration_per_loop_var here"
)
MANAGED = "this session has finalized"
FINALIZED = "is finalized before"
MADE_HERE = "the session"
FINALIZED_HERE = "finalized here"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per call that comes too late."""
    for part in loop_parts(project):
        if part.kind == "set" and part.session is not None and not _is_opened_again(project, part):
            managed = [
                made
                for made in sessions_created(project, part.session)
                if session_kind(project, made) == "managed"
            ]
            finalized = None if managed else _finalized(project, part)
            if managed:
                yield from _finding(project, part, MANAGED, Related(managed[0].place, MADE_HERE))
            elif finalized is not None:
                yield from _finding(project, part, FINALIZED, Related(finalized.place, FINALIZED_HERE))


def _finding(project: Project, part: LoopPart, reason: str, cause: Related) -> Iterator[Finding]:
    assert isinstance(part.call.expr, Call)
    place = last_token(part.call.key, part.call.expr.func)
    yield from judged(project, CODE, place, partial(_judge, project, part, reason, cause))


def _judge(project: Project, part: LoopPart, reason: str, cause: Related, program: str) -> Verdict | None:
    """N = 1 leaves the graph as it is, so the call does no harm."""
    if part.n is None:
        return None
    value = evidence(project, part.n, program)
    if not value.every(is_offloading):
        return None
    n = telling(value)
    message = MESSAGE.format(reason=reason)
    return Verdict(lowered_for(Severity.ERROR, [n]), message, (cause, *related(n)))


def _finalized(project: Project, part: LoopPart) -> Ref | None:
    """A ``graph.finalize()`` that has certainly run before the call, in the same function."""
    facts = project.facts(part.call.key)
    assert facts is not None
    for key, site in project.calls_named("finalize"):
        ref = ref_of_call(key, site)
        if (
            key == part.call.key
            and site.scope == part.call.scope
            and _is_graph(project, ref, site.call)
            and certainly_before(facts, site.statement, part.call.statement)
        ):
            return ref
    return None


def _is_graph(project: Project, ref: Ref, call: Call) -> bool:
    if any(name.startswith("tensorflow.") for name in externals_called(project, ref)):
        return True
    func = call.func
    return isinstance(func, Attribute) and isinstance(func.value, Attribute) and func.value.attr == "graph"


def _is_opened_again(project: Project, part: LoopPart) -> bool:
    """Whether a graph is unfinalized before the call, or anywhere that cannot be told to come later."""
    files = project.neighbours(part.call.key)
    return any(
        key in files
        and not (
            key == part.call.key and site.scope == part.call.scope and site.statement > part.call.statement
        )
        for key, site in project.calls_named("_unsafe_unfinalize")
    )


RULE = Rule(
    code=CODE,
    name="loop-on-finalized-graph",
    summary="set_iteration_per_loop on a graph that can no longer be changed.",
    severity="error",
    fix="manual",
    sources=("DOC-SETIT", "DOC-LOADIT", "DOC-ITER"),
    documentation=__doc__ or "",
    check=check,
)
