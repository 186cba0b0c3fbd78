"""MiniGo: NPURunConfig gets TensorFlow's arguments in TensorFlow's order."""

import tensorflow as tf
from npu_bridge.npu_init import *


def input_fn():
    return tf.data.Dataset.from_tensors(tf.ones([9])).repeat().batch(4, drop_remainder=True)


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.square(tf.layers.dense(features, 10)))
    train_op = tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss, tf.train.get_global_step())
    return NPUEstimatorSpec(mode, loss=loss, train_op=train_op)


config = NPURunConfig(
    model_dir="minigo",
    save_summary_steps=0,
    save_checkpoints_steps=10,
    session_creation_timeout_secs=7200,  # << NPU612
    train_distribute=None,
    protocol="grpc",  # << NPU612
)
NPUEstimator(model_fn, config=config).train(input_fn, max_steps=10)
