"""ERNIE: a function trains with the list that it gets; its caller reads the last hook."""

import tensorflow as tf
from npu_bridge.npu_init import *


class Counter(tf.train.SessionRunHook):
    total = 0

    def after_run(self, run_context, run_values):
        self.total += 1


def input_fn():
    return tf.data.Dataset.from_tensors(tf.ones([8])).repeat().batch(4, drop_remainder=True)


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.square(tf.layers.dense(features, 4)))
    train_op = tf.train.AdamOptimizer().minimize(loss, tf.train.get_global_step())
    return NPUEstimatorSpec(mode, loss=loss, train_op=train_op)


def train(estimator, hooks):
    estimator.train(input_fn, max_steps=10, hooks=npu_hooks_append(hooks_list=hooks))


hooks = [Counter()]
train(NPUEstimator(model_fn, config=NPURunConfig(model_dir="ernie", save_checkpoints_steps=10)), hooks)
print(hooks[-1].total)  # << NPU310
