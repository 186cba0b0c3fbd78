"""The hooks that ported scripts name."""

import os

import tensorflow as tf


class NPUBroadcastGlobalVariablesHook(tf.train.SessionRunHook):
    def __init__(self, root_rank=None, index=None):
        self.root_rank = root_rank


class SetIterationsVarHook(tf.train.SessionRunHook):
    def __init__(self, iterations_per_loop=None):
        self.iterations_per_loop = iterations_per_loop


class TellMeStepOrLossHook(tf.train.SessionRunHook):
    """Tells the runtime through environment variables how far training has come."""

    def __init__(self, step=None, total_step=None, loss=None, final_loss=None):
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

    def begin(self):
        graph = tf.get_default_graph()
        self._tensors = {name: value_of(graph.get_tensor_by_name(of)) for name, of in self._watched.items()}

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self._tensors)

    def after_run(self, run_context, run_values):
        for name, value in run_values.results.items():
            os.environ[name] = str(value)


def value_of(tensor):
    """What a tensor holds: tests run with resource variables, whose tensors are only handles."""
    if tensor.dtype != tf.resource:
        return tensor
    variables = {variable.handle.name: variable for variable in tf.global_variables()}
    return variables[tensor.name].read_value()
