"""EfficientDet: a function says how often a rank saves, and 0 is never."""

import os

import tensorflow as tf
from npu_bridge.npu_init import *


def interval(steps):
    return steps if os.getenv("RANK_ID", "0") == "0" else 0


def input_fn():
    return tf.data.Dataset.from_tensors(tf.ones([4])).repeat().batch(2, drop_remainder=True)


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.square(tf.layers.dense(features, 2)))
    optimizer = NPUDistributedOptimizer(tf.train.AdamOptimizer())
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    return NPUEstimatorSpec(mode, loss=loss, train_op=train_op)


config = NPURunConfig(model_dir="detection", save_checkpoints_steps=interval(100))
NPUEstimator(model_fn, config=config).train(input_fn, max_steps=4, hooks=npu_hooks_append())
