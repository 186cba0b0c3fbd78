"""BST on several devices: steps, not seconds; the rank names a folder only."""

import os

import tensorflow as tf
from npu_bridge.npu_init import *

rank_id = os.getenv("RANK_ID", "0")
rank_size = int(os.getenv("RANK_SIZE", "1"))


def input_fn():
    dataset = tf.data.Dataset.from_tensors(tf.ones([6])).repeat()
    if rank_size > 1:
        dataset = dataset.shard(rank_size, int(rank_id))
    return dataset.batch(4, drop_remainder=True)


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.square(tf.layers.dense(features, 1)))
    optimizer = npu_distributed_optimizer_wrapper(tf.train.AdamOptimizer())
    optimizer = NPULossScaleOptimizer(
        optimizer, FixedLossScaleManager(loss_scale=1024), is_distributed=rank_size > 1
    )
    train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    return NPUEstimatorSpec(mode, loss=loss, train_op=train_op)


config = NPURunConfig(
    model_dir=os.path.join("bst", rank_id),
    save_checkpoints_steps=10 if rank_id == "0" else 0,
    save_checkpoints_secs=None,
)
NPUEstimator(model_fn, config=config).train(input_fn, max_steps=10, hooks=npu_hooks_append())
