"""ShuffleNet: NPURunConfig gets the arguments of RunConfig by their positions."""

import tensorflow as tf
from npu_bridge.npu_init import *


def input_fn():
    return tf.data.Dataset.from_tensors(tf.ones([4])).repeat().batch(2, drop_remainder=True)


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.square(tf.layers.dense(features, 2)))
    train_op = tf.train.AdamOptimizer().minimize(loss, tf.train.get_global_step())
    return NPUEstimatorSpec(mode, loss=loss, train_op=train_op)


config = NPURunConfig(1, None, "shufflenet", save_checkpoints_steps=10)  # << NPU615
NPUEstimator(model_fn, config=config).train(input_fn, max_steps=4)
