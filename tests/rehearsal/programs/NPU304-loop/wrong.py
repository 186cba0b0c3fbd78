"""Acceleration under N > 1."""

import tensorflow as tf
from npu_bridge.npu_init import *


def train_input():
    return tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0, 4.0]).repeat().batch(2, drop_remainder=True)


def model(features, labels, mode):
    weight = tf.get_variable("weight", initializer=0.3)
    loss = tf.reduce_mean(tf.square(weight * features - features))
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_or_create_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step)


from npu_bridge.estimator.npu.npu_config import ExperimentalConfig

experimental = ExperimentalConfig(accelerate_train_mode="fast|step|0.5")
settings = NPURunConfig(iterations_per_loop=4, save_checkpoints_steps=4, experimental_config=experimental)
hooks = [TellMeStepOrLossHook(step="global_step:0", total_step=8)]
NPUEstimator(model, "model", settings).train(train_input, hooks, max_steps=8)  # << NPU304
