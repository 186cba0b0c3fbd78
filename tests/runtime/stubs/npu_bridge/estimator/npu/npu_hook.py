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

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self._watched)

    def after_run(self, run_context, run_values):
        for name, value in run_values.results.items():
            os.environ[name] = str(value)
