"""AutoInt: only the first rank is meant to save."""

import os

import tensorflow as tf
from npu_bridge.npu_init import *


def input_fn():
    return tf.data.Dataset.from_tensors(tf.ones([6])).repeat().batch(4, drop_remainder=True)


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.square(tf.layers.dense(features, 1)))
    optimizer = npu_distributed_optimizer_wrapper(tf.train.AdamOptimizer())
    train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    return NPUEstimatorSpec(mode=mode, loss=loss, train_op=train_op)


rank = int(os.getenv("RANK_ID", "0"))
config = NPURunConfig(
    model_dir="autoint_%d" % rank,
    save_checkpoints_steps=50 if rank == 0 else None,  # << NPU802
)
estimator = NPUEstimator(model_fn=model_fn, config=config)
estimator.train(input_fn, max_steps=10, hooks=npu_hooks_append(hooks_list=[]))
