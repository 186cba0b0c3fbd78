"""Whether a managed session restores a checkpoint: then its ``init_op`` does not run [TF].

A folder that each start of the program makes anew holds no checkpoint at first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from npu_migrate.index.facts import Call, Constant, last_name
from npu_migrate.index.names import ancestors, enclosing_function
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.aliases import aliases_of
from npu_migrate.semantics.calls.passing import passed_objects
from npu_migrate.semantics.flow import activations, externals_called, origins
from npu_migrate.semantics.resolution import Definition
from npu_migrate.training.pipelines.input_functions import references
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
_NEW_FOLDERS = frozenset({"tempfile.mkdtemp", "tempfile.TemporaryDirectory"})
_FOLDER_POSITIONS = {"Estimator": 1, "NPUEstimator": 1, "RunConfig": 0, "NPURunConfig": 2, "replace": None}
_MOST_CALLS = 10
_STARTS = ("train", "evaluate", "predict", "train_and_evaluate")


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
            return call if _may_start_again(project, call.key) else None
    return None


def _may_be_nothing(project: Project, value: Ref) -> bool:
    """Whether a folder is left out, or is new each time."""
    return any(
        (isinstance(origin.expr, Constant) and not origin.expr.value)
        or externals_called(project, origin) & _NEW_FOLDERS
        for origin in origins(project, value)
    )


def _may_start_again(project: Project, key: str) -> bool:
    """Whether the Estimators of a file's programs may find a checkpoint when they start.

    Without a folder an Estimator makes a new one, which has a checkpoint from its second start on.
    """
    near = project.neighbours(key)
    if any(_may_have_folder(project, ref) for ref in _calls(project, _FOLDER_POSITIONS, near)):
        return True
    starts = list(_calls(project, _STARTS, near))
    return len(starts) != 1 or not _runs_once(project, starts[0])


def _calls(project: Project, names: Iterable[str], near: Collection[str]) -> Iterator[Ref]:
    for name in names:
        for key, site in project.calls_named(name):
            if key in near:
                yield ref_of_call(key, site)


def _may_have_folder(project: Project, ref: Ref) -> bool:
    call = ref.expr
    assert isinstance(call, Call)
    position = _FOLDER_POSITIONS[last_name(call.func) or ""]
    given = passed_objects(project, ref, "model_dir", position)
    return not given.certain or any(not _may_be_nothing(project, value) for value in given.values)


def _runs_once(project: Project, ref: Ref) -> bool:
    """Whether the code at `ref` runs once in a program, as far as loops and calls show."""
    for _ in range(_MOST_CALLS):
        facts = project.facts(ref.key)
        assert facts is not None
        around = {facts.statements[number].kind for number in ancestors(facts, ref.statement)}
        if around & {"For", "AsyncFor", "While"}:
            return False
        function = enclosing_function(facts, ref.scope)
        if function == 0:
            return True
        definition = Definition(ref.key, function)
        callers = {id(one.expr): one for one in activations(project, definition)}
        callers.update({id(one.expr): one for one in references(project, definition)} if not callers else {})
        if len(callers) != 1:
            return False
        (ref,) = callers.values()
    return False


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
        ref_of_call(facts.key, site)
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
