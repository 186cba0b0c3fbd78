"""A table in an input_fn that returns the dataset."""

import tensorflow as tf
from npu_bridge.npu_init import *


def inp():
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1.0, 2.0]), 0.0)
    return (
        tf.data.Dataset.from_tensor_slices(["a", "b"])
        .map(lambda w: table.lookup(w))  # << NPU109
        .repeat()
        .batch(2, drop_remainder=True)
    )


def train_input():
    return tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0, 4.0]).repeat().batch(2, drop_remainder=True)


def model(features, labels, mode):
    weight = tf.get_variable("weight", initializer=0.3)
    loss = tf.reduce_mean(tf.square(weight * features - features))
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_or_create_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step)


NPUEstimator(model, "m", NPURunConfig(save_checkpoints_steps=10)).train(inp, steps=3)
