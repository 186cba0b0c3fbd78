"""ALBERT after a page of the documents that writes the NPU's classes as TensorFlow's."""

import tensorflow as tf
from npu_bridge.npu_init import *


def input_fn():
    return tf.data.Dataset.from_tensors((tf.ones([8]), 1)).repeat().batch(4, drop_remainder=True)


def model_fn(features, labels, mode):
    hidden = npu_ops.dropout(tf.layers.dense(features, 8), keep_prob=0.9)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, hidden)
    train_op = tf.train.AdamOptimizer().minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


run_config = tf.estimator.NPURunConfig(model_dir="albert", save_checkpoints_steps=10)  # << NPU615
estimator = tf.estimator.NPUEstimator(model_fn=model_fn, config=run_config)  # << NPU615
estimator.train(input_fn, max_steps=10)
