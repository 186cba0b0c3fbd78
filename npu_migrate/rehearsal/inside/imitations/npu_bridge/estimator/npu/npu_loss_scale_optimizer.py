"""`NPULossScaleOptimizer`: scales the loss, and skips the steps in which a gradient has overflowed."""

from __future__ import annotations

import os
from typing import Any

import tensorflow as tf
from npu_rehearsal.graphs.marks import ScaledUpdate, marks_of
from npu_rehearsal.judging.loss_scaling import overflow_not_shared
from npu_rehearsal.watching import current


class NPULossScaleOptimizer(tf.compat.v1.train.Optimizer):
    def __init__(self, opt: Any, loss_scale_manager: Any, is_distributed: bool | None = None) -> None:
        super().__init__(use_locking=False, name="NPULossScaleOptimizer")
        self._opt = opt
        self._loss_scale_manager = loss_scale_manager
        watcher = current.watcher()
        self._place = watcher.places.here()
        # A script that says False where it runs on one device may say True where it runs on several.
        decides = is_distributed is None or int(os.getenv("RANK_SIZE", "1")) > 1
        if getattr(opt, "_npu_distributed", False) and not is_distributed and decides:
            watcher.tell_all(overflow_not_shared(type(opt).__name__, self._place))

    def compute_gradients(self, loss: Any, *args: Any, **kwargs: Any) -> Any:
        scale = self._loss_scale_manager.get_loss_scale()
        pairs = self._opt.compute_gradients(loss * scale, *args, **kwargs)
        return [(None if gradient is None else gradient / scale, variable) for gradient, variable in pairs]

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: Any = None) -> Any:
        pairs = list(grads_and_vars)
        # The device has operators of its own for this test.
        finite = tf.reduce_all(
            [tf.reduce_all(tf.math.is_finite(gradient)) for gradient, _ in pairs if gradient is not None]
        )
        update = tf.cond(
            finite,
            lambda: tf.group(self._opt.apply_gradients(pairs, global_step, name)),
            lambda: tf.no_op(),
        )
        done = tf.group(update, self._loss_scale_manager.update_loss_scale(finite))
        name = type(self._opt).__name__
        marks_of(done.graph).updates.append(ScaledUpdate(done, self._place, global_step is not None, name))
        return done
