"""What Rec SDK does at run time: it checks `init`, counts steps, and gives graphs new initializers."""

from __future__ import annotations

import importlib
from typing import Any, Mapping

from ..graphs.marks import marks_of
from ..judging import rec
from ..sessions.rec_steps import RecSteps
from ..watching.watcher import Watcher


def begin(watcher: Watcher, told: Mapping[str, Any]) -> None:
    """`init` was called. Raises `ValueError` for what it refuses."""
    place = watcher.places.here()
    refusal = watcher.write_all(rec.judge_arguments(told, watcher.request.tables["rec_init"], place))
    if refusal is not None:
        # It is Python code of Rec SDK that checks, before anything reaches the device.
        watcher.raise_error(refusal)
    steps = RecSteps(told, place)
    watcher.rec_steps = steps
    _watch_training(watcher, steps)


def _watch_training(watcher: Watcher, steps: RecSteps) -> None:
    """From now on an Estimator's steps are compared with those that `init` was told."""
    estimators: Any = importlib.import_module("tensorflow_estimator.python.estimator.estimator")
    training: Any = importlib.import_module("tensorflow_estimator.python.estimator.training")
    for kind in (estimators.Estimator, estimators.EstimatorV2):
        if "train" in vars(kind):
            kind.train = _with_agreement(kind.train, watcher, steps)
    original = training._TrainingExecutor.__init__

    def init(self: Any, estimator: Any, train_spec: Any, eval_spec: Any, *args: Any, **kwargs: Any) -> None:
        _agree(watcher, steps, "eval_steps", eval_spec.steps)
        _agree(watcher, steps, "train_steps", steps.told.get("save_steps", -1))
        original(self, estimator, train_spec, eval_spec, *args, **kwargs)

    training._TrainingExecutor.__init__ = init


def _with_agreement(original: Any, watcher: Watcher, rec_steps: RecSteps) -> Any:
    def train(
        self: Any,
        input_fn: Any,
        hooks: Any = None,
        steps: Any = None,
        max_steps: Any = None,
        saving_listeners: Any = None,
    ) -> Any:
        rec_steps.judged = False
        _agree(watcher, rec_steps, "max_steps", max_steps)
        _agree(watcher, rec_steps, "save_steps", self.config.save_checkpoints_steps)
        return original(self, input_fn, hooks, steps, max_steps, saving_listeners)

    return train


def _agree(watcher: Watcher, steps: RecSteps, name: str, taken: Any) -> None:
    watcher.tell_all(rec.judge_agreement(name, steps.told.get(name, -1), taken, watcher.places.here()))


def replace_initializers(watcher: Watcher, graph: Any) -> list[Any]:
    """New initializers for the iterators of `graph`; those of before are dead."""
    place = watcher.places.here()
    dataset_ops: Any = importlib.import_module("tensorflow.python.ops.gen_dataset_ops")
    marks = marks_of(graph)
    made = []
    for maker in [one for one in graph.get_operations() if one.type == "MakeIterator"]:
        if maker in marks.dead_initializers:
            continue
        marks.dead_initializers[maker] = place
        with graph.as_default():
            made.append(dataset_ops.make_iterator(maker.inputs[0], maker.inputs[1]))
    return made
