"""ResNet-101: the loop size goes through a helper and an environment variable; nothing is known to be wrong."""

import os

import tensorflow as tf
from npu_bridge.npu_init import *

LOOP = int(os.environ.get("ITERATIONS_PER_LOOP", "100"))


def input_fn():
    return tf.data.Dataset.from_tensors((tf.ones([4, 4, 3]), 1)).repeat().batch(4, drop_remainder=True)


def model_fn(features, labels, mode):
    logits = tf.layers.dense(tf.layers.flatten(features), 4)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, tf.train.get_global_step())
    return NPUEstimatorSpec(mode, loss=loss, train_op=train_op)


def run_config(loop):
    return NPURunConfig(
        model_dir="resnet101",
        iterations_per_loop=loop,
        enable_data_pre_proc=True,
        save_checkpoints_steps=10 * loop,
    )


NPUEstimator(model_fn, config=run_config(LOOP)).train(input_fn, max_steps=10 * LOOP)
