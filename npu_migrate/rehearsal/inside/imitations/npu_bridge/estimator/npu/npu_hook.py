"""The hooks that ported scripts name."""

from __future__ import annotations

import os
from typing import Any

import tensorflow as tf
from npu_rehearsal.support.looping import load
from npu_rehearsal.watching import current


class NPUBroadcastGlobalVariablesHook(tf.compat.v1.train.SessionRunHook):
    def __init__(self, root_rank: Any = None, index: Any = None) -> None:
        self.root_rank = root_rank


class NpuEmptyHook(tf.compat.v1.train.SessionRunHook):
    pass


class NPUOutputTensorHook(tf.compat.v1.train.LoggingTensorHook):
    """The real one logs as well, and gives the values to a function of the script's."""

    def __init__(
        self,
        tensors: Any,
        dependencies: Any = None,
        output_fn: Any = None,
        output_every_n_steps: int = 0,
    ) -> None:
        super().__init__(tensors, every_n_iter=max(output_every_n_steps, 1))


class NPUCheckpointSaverHook(tf.compat.v1.train.CheckpointSaverHook):
    pass


class SetIterationsVarHook(tf.compat.v1.train.SessionRunHook):
    def __init__(self, iterations_per_loop: Any = None) -> None:
        self.iterations_per_loop = iterations_per_loop

    def after_create_session(self, session: Any, coord: Any) -> None:
        if self.iterations_per_loop is not None and self.iterations_per_loop > 1:
            load(current.watcher(), session, self.iterations_per_loop)


class TellMeStepOrLossHook(tf.compat.v1.train.SessionRunHook):
    """Tells the runtime through environment variables how far training has come."""

    def __init__(
        self, step: Any = None, total_step: Any = None, loss: Any = None, final_loss: Any = None
    ) -> None:
        if step is None and loss is None:
            raise ValueError("at least one of step and loss is required")
        self._watched = {}
        if step is not None:
            self._watched["STEP_NOW"] = step
            os.environ["STEP_NOW"] = "0"
        if total_step is not None:
            os.environ["TOTAL_STEP"] = str(total_step)
        if loss is not None:
            self._watched["LOSS_NOW"] = loss
            os.environ["LOSS_NOW"] = "0.0"
        if final_loss is not None:
            os.environ["TARGET_LOSS"] = str(final_loss)

    def begin(self) -> None:
        graph = tf.compat.v1.get_default_graph()
        self._tensors = {name: _value_of(graph.get_tensor_by_name(of)) for name, of in self._watched.items()}

    def before_run(self, run_context: Any) -> Any:
        return tf.compat.v1.train.SessionRunArgs(self._tensors)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        for name, value in run_values.results.items():
            os.environ[name] = str(value)


def _value_of(tensor: Any) -> Any:
    """What a tensor holds: with resource variables, the tensor of a variable's name is only its handle."""
    if tensor.dtype != tf.resource:
        return tensor
    variables = {variable.handle.name: variable for variable in tf.compat.v1.global_variables()}
    return variables[tensor.name].read_value()
