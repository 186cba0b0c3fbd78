"""`NPULossScaleOptimizer`: scales the loss, and skips the steps in which a gradient has overflowed."""

import os

import tensorflow as tf


class NPULossScaleOptimizer(tf.train.Optimizer):
    def __init__(self, opt, loss_scale_manager, is_distributed=False):
        if is_distributed != (int(os.getenv("RANK_SIZE", "1")) > 1):
            raise ValueError("is_distributed must say whether training runs on several devices")
        super().__init__(use_locking=False, name="NPULossScaleOptimizer")
        self._opt = opt
        self._loss_scale_manager = loss_scale_manager

    def compute_gradients(self, loss, *args, **kwargs):
        scale = self._loss_scale_manager.get_loss_scale()
        pairs = self._opt.compute_gradients(loss * scale, *args, **kwargs)
        return [(None if gradient is None else gradient / scale, variable) for gradient, variable in pairs]

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        pairs = list(grads_and_vars)
        finite = tf.reduce_all(
            [tf.reduce_all(tf.is_finite(gradient)) for gradient, _ in pairs if gradient is not None]
        )
        update = tf.cond(
            finite, lambda: tf.group(self._opt.apply_gradients(pairs, global_step, name)), lambda: tf.no_op()
        )
        return tf.group(update, self._loss_scale_manager.update_loss_scale(finite))
