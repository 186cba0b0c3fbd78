"""The hook goes with an evaluation, and with a training step by step."""

import tensorflow as tf
from npu_bridge.npu_init import *


def data():
    return tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0, 4.0]).repeat(8).batch(2, drop_remainder=True)


def model(features, labels, mode):
    weight = tf.get_variable("weight", initializer=0.3)
    loss = tf.reduce_mean(tf.square(weight * features - features), name="loss")
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_or_create_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step)


logged = tf.train.LoggingTensorHook({"loss": "loss"}, every_n_iter=2)
NPUEstimator(model, "model", NPURunConfig(save_checkpoints_steps=8)).train(data, hooks=[logged], max_steps=8)
looped = NPUEstimator(model, "model", NPURunConfig(iterations_per_loop=4, save_checkpoints_steps=8))
looped.train(data, max_steps=16)
looped.evaluate(data, hooks=[tf.train.LoggingTensorHook({"loss": "loss"}, every_n_iter=2)])
