"""Loss-scale managers. The dynamic one owns variables."""

from __future__ import annotations

from typing import Any

import tensorflow as tf
from npu_rehearsal.graphs.marks import Guarded, marks_of
from npu_rehearsal.watching import current


class FixedLossScaleManager:
    def __init__(self, loss_scale: Any, enable_overflow_check: bool = True) -> None:
        if loss_scale < 1:
            raise ValueError("loss scale must be at least 1.")
        self._loss_scale = tf.convert_to_tensor(loss_scale, dtype=tf.float32, name="loss_scale")
        self._enable_overflow_check = enable_overflow_check

    def get_loss_scale(self) -> Any:
        return self._loss_scale

    def get_enable_overflow_check(self) -> bool:
        return self._enable_overflow_check

    def update_loss_scale(self, finite_grads: Any) -> Any:
        return tf.no_op()


class ExponentialUpdateLossScaleManager:
    def __init__(
        self,
        init_loss_scale: Any,
        incr_every_n_steps: Any,
        decr_every_n_nan_or_inf: Any = 2,
        incr_ratio: Any = 2,
        decr_ratio: Any = 0.8,
    ) -> None:
        self._incr_every_n_steps = incr_every_n_steps
        self._decr_every_n_nan_or_inf = decr_every_n_nan_or_inf
        self._incr_ratio = incr_ratio
        self._decr_ratio = decr_ratio
        self._loss_scale = self._variable("loss_scale", float(init_loss_scale), tf.float32)
        self._good_steps = self._variable("good_steps", 0, tf.int32)
        self._bad_steps = self._variable("bad_steps", 0, tf.int32)
        graph = tf.compat.v1.get_default_graph()
        in_force = sorted(operation.name for operation in graph._current_control_dependencies())
        if in_force:
            names = [one.op.name for one in (self._loss_scale, self._good_steps, self._bad_steps)]
            place = current.watcher().places.here()
            marks_of(graph).guarded.append(Guarded(tuple(names), tuple(in_force), place))

    def _variable(self, name: str, value: Any, dtype: Any) -> Any:
        return tf.compat.v1.Variable(value, dtype=dtype, trainable=False, name=name)

    def get_loss_scale(self) -> Any:
        return self._loss_scale

    def update_loss_scale(self, finite_grads: Any) -> Any:
        def change(steps: Any, others: Any, every: Any, scale: Any) -> Any:
            due = steps + 1 >= every
            return tf.group(
                self._loss_scale.assign(tf.compat.v2.where(due, scale, self._loss_scale)),
                steps.assign(tf.compat.v2.where(due, 0, steps + 1)),
                others.assign(tf.compat.v2.where(due, 0, others)),
            )

        larger = self._loss_scale * self._incr_ratio
        smaller = tf.maximum(1.0, self._loss_scale * self._decr_ratio)
        return tf.cond(
            finite_grads,
            lambda: change(self._good_steps, self._bad_steps, self._incr_every_n_steps, larger),
            lambda: change(self._bad_steps, self._good_steps, self._decr_every_n_nan_or_inf, smaller),
        )
