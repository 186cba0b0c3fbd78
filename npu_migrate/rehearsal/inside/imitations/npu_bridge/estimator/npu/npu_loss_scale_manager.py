"""Loss-scale managers. The dynamic one owns variables and refuses to be made under control dependencies.

The real one is made, and the program fails later with the same words.
"""

import tensorflow as tf


class FixedLossScaleManager:
    def __init__(self, loss_scale, enable_overflow_check=True):
        if loss_scale < 1:
            raise ValueError("loss scale must be at least 1.")
        self._loss_scale = tf.convert_to_tensor(loss_scale, dtype=tf.float32, name="loss_scale")
        self._enable_overflow_check = enable_overflow_check

    def get_loss_scale(self):
        return self._loss_scale

    def get_enable_overflow_check(self):
        return self._enable_overflow_check

    def update_loss_scale(self, finite_grads):
        return tf.no_op()


class ExponentialUpdateLossScaleManager:
    def __init__(
        self, init_loss_scale, incr_every_n_steps, decr_every_n_nan_or_inf=2, incr_ratio=2, decr_ratio=0.8
    ):
        in_force = tf.get_default_graph()._current_control_dependencies()
        if in_force:
            names = ", ".join(sorted(operation.name for operation in in_force))
            raise ValueError("Placeholder not support: control dependencies on " + names)
        self._incr_every_n_steps = incr_every_n_steps
        self._decr_every_n_nan_or_inf = decr_every_n_nan_or_inf
        self._incr_ratio = incr_ratio
        self._decr_ratio = decr_ratio
        self._loss_scale = self._variable("loss_scale", float(init_loss_scale), tf.float32)
        self._good_steps = self._variable("good_steps", 0, tf.int32)
        self._bad_steps = self._variable("bad_steps", 0, tf.int32)

    def _variable(self, name, value, dtype):
        return tf.Variable(value, dtype=dtype, trainable=False, name=name)

    def get_loss_scale(self):
        return self._loss_scale

    def update_loss_scale(self, finite_grads):
        def change(steps, others, every, scale):
            due = steps + 1 >= every
            return tf.group(
                self._loss_scale.assign(tf.where(due, scale, self._loss_scale)),
                steps.assign(tf.where(due, 0, steps + 1)),
                others.assign(tf.where(due, 0, others)),
            )

        larger = self._loss_scale * self._incr_ratio
        smaller = tf.maximum(1.0, self._loss_scale * self._decr_ratio)
        return tf.cond(
            finite_grads,
            lambda: change(self._good_steps, self._bad_steps, self._incr_every_n_steps, larger),
            lambda: change(self._bad_steps, self._good_steps, self._decr_every_n_nan_or_inf, smaller),
        )
