"""Whether a managed session restores a checkpoint: then its ``init_op`` does not run [TF]."""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.index.facts import Call, Constant, last_name
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.aliases import aliases_of
from npu_migrate.semantics.flow import externals_called, origins
from npu_migrate.semantics.passing import passed_objects
from npu_migrate.training.pipelines.partition.executions import Execution

_FOLDERS: dict[str, tuple[tuple[str, int], ...]] = {
    tf.SUPERVISOR: (("logdir", 7),),
    "tensorflow.contrib.slim.learning.train": (("logdir", 1),),
    "tensorflow.train.SessionManager.prepare_session": (
        ("checkpoint_dir", 3),
        ("checkpoint_filename_with_path", 4),
    ),
    "tensorflow.train.MonitoredTrainingSession": (("checkpoint_dir", 2),),
    "tensorflow.train.SingularMonitoredSession": (
        ("checkpoint_dir", 4),
        ("checkpoint_filename_with_path", 6),
    ),
    "tensorflow.train.ChiefSessionCreator": (("checkpoint_dir", 3), ("checkpoint_filename_with_path", 4)),
    "tensorflow.contrib.training.train": (("logdir", 1),),
}
"""Who takes a checkpoint folder (or file), and at which position [TF]."""

_SPEC = "EstimatorSpec"


def checkpoint_folder(project: Project, execution: Execution) -> Ref | None:
    """What gives the checkpoint folder of the managed session that an init op belongs to; None if nothing
    does, or it cannot be told."""
    for call in _takers(project, execution.call):
        for name in sorted(externals_called(project, call) & _FOLDERS.keys()):
            for keyword, position in _FOLDERS[name]:
                for value in passed_objects(project, call, keyword, position).values:
                    if not _may_be_nothing(project, value):
                        return value
        if any(name.endswith(_SPEC) for name in externals_called(project, call)):
            return call
    return None


def _may_be_nothing(project: Project, value: Ref) -> bool:
    return any(
        isinstance(origin.expr, Constant) and not origin.expr.value for origin in origins(project, value)
    )


def _takers(project: Project, made: Ref) -> Iterator[Ref]:
    """The call itself, and those that get the Scaffold it makes."""
    yield made
    if tf.SCAFFOLD not in externals_called(project, made):
        return
    for call in _calls_with_scaffolds(project):
        position = _scaffold_position(project, call)
        for value in passed_objects(project, call, "scaffold", position).values:
            if any(origin.expr is made.expr for origin in origins(project, value)):
                yield call


@once
def _calls_with_scaffolds(project: Project) -> tuple[Ref, ...]:
    """The calls that may get a Scaffold: by keyword, or by position where one of the takers is called."""
    names = {name.rpartition(".")[2] for name in _FOLDERS}
    names |= aliases_of(project, names)
    return tuple(
        Ref(facts.key, site.scope, site.statement, site.call)
        for facts in project.relevant()
        for site in facts.calls
        if any(keyword.name == "scaffold" for keyword in site.call.keywords)
        or (site.call.args and last_name(site.call.func) in names)
    )


def _scaffold_position(project: Project, call: Ref) -> int | None:
    assert isinstance(call.expr, Call)
    called = externals_called(project, call)
    if "tensorflow.train.MonitoredTrainingSession" in called:
        return 3
    if "tensorflow.train.SingularMonitoredSession" in called:
        return 1
    return 0 if "tensorflow.train.ChiefSessionCreator" in called else None
