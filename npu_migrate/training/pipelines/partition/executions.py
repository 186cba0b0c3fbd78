"""Where a program has ops run: the fetches of a run, and the init ops of managed sessions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import Attribute, Call, Constant, argument, last_name
from npu_migrate.index.names import spelled
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.aliases import aliases_of
from npu_migrate.semantics.calls.passing import passed_objects
from npu_migrate.semantics.flow import externals_called
from npu_migrate.training.pipelines.sessions import operation_run

_SLIM_TRAIN = "tensorflow.contrib.slim.learning.train"
_PREPARES = "tensorflow.train.SessionManager.prepare_session"
_INIT_OPS: dict[str, dict[str, int | None]] = {
    tf.SCAFFOLD: {"init_op": 0, "local_init_op": 5},
    tf.SUPERVISOR: {"init_op": 4, "local_init_op": 6},
    _SLIM_TRAIN: {"init_op": 10, "local_init_op": 12},
    _PREPARES: {"init_op": 1},
    "tensorflow.train.SessionManager": {"local_init_op": 0},
}
"""Who takes init ops, and at which position [TF]."""


class Execution(NamedTuple):
    """One place that has an op run.

    `kind`: ``run`` (`call` is a ``run`` or ``evaluate``), ``init_op`` or ``local_init_op`` (`call` makes the
    Scaffold or Supervisor, or is ``slim.learning.train`` or ``prepare_session``). `op` is what is run.
    """

    kind: str
    call: Ref
    op: Ref


@once
def executions(project: Project) -> tuple[Execution, ...]:
    """All places that have ops run which may be initializers, in order of file and place."""
    found = [*_runs(project), *_init_ops(project)]
    return tuple(sorted(found, key=lambda one: (one.call.key, one.call.expr.span, one.kind)))


def runs(project: Project) -> tuple[Execution, ...]:
    """Those of `executions` that are runs of the program itself."""
    return tuple(one for one in executions(project) if one.kind == "run")


def _runs(project: Project) -> Iterator[Execution]:
    for name in ("run", "evaluate"):
        for key, site in project.calls_named(name):
            func = site.call.func
            if not isinstance(func, Attribute) or (name == "evaluate" and spelled(func.value) != "self"):
                continue
            ref = ref_of_call(key, site)
            if name == "run":
                fetched = operation_run(project, ref) or argument(site.call, "fetches", 0)
            else:
                fetched = argument(site.call, "tensors", 0)
            if fetched is not None:
                yield Execution("run", ref, ref._replace(expr=fetched))


def _init_ops(project: Project) -> Iterator[Execution]:
    names = {taker.rpartition(".")[2] for taker in _INIT_OPS}
    for name in sorted(names | aliases_of(project, names)):
        for key, site in project.calls_named(name):
            if not _may_take(site.call):
                continue
            ref = ref_of_call(key, site)
            for taker in sorted(externals_called(project, ref) & _INIT_OPS.keys()):
                for kind, position in _INIT_OPS[taker].items():
                    for value in passed_objects(project, ref, kind, position).values:
                        if not (isinstance(value.expr, Constant) and value.expr.value is None):
                            yield Execution(kind, ref, value)


def _may_take(call: Call) -> bool:
    return bool(call.args) or any(one.name in (None, "init_op", "local_init_op") for one in call.keywords)


def receiver_of(execution: Execution) -> Ref | None:
    """The session of a run, as far as the call names it: ``sess`` of ``sess.run(op)``."""
    call = execution.call.expr
    assert isinstance(call, Call)
    if execution.kind != "run" or not isinstance(call.func, Attribute):
        return None
    if call.func.value is execution.op.expr or last_name(call.func) == "evaluate":
        return None
    return execution.call._replace(expr=call.func.value)
