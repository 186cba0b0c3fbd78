"""A hook logs every other step of a training that the host sees four steps at a time."""

import tensorflow as tf
from npu_bridge.npu_init import *


def data():
    return tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0, 4.0]).repeat(8).batch(2, drop_remainder=True)


def model(features, labels, mode):
    weight = tf.get_variable("weight", initializer=0.3)
    loss = tf.reduce_mean(tf.square(weight * features - features), name="loss")
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_or_create_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step)


settings = NPURunConfig(iterations_per_loop=4, save_checkpoints_steps=8)
logged = tf.train.LoggingTensorHook({"loss": "loss"}, every_n_iter=2)  # << NPU204
NPUEstimator(model, "model", settings).train(data, hooks=[logged], max_steps=8)
