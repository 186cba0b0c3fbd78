"""Mask R-CNN: a list for mixed precision, without mixed precision."""

import tensorflow as tf
from npu_bridge.npu_init import *


def input_fn():
    return tf.data.Dataset.from_tensors(tf.ones([8])).repeat().batch(2, drop_remainder=True)


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.square(tf.layers.dense(features, 10)))
    train_op = tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss, tf.train.get_global_step())
    return NPUEstimatorSpec(mode, loss=loss, train_op=train_op)


config = NPURunConfig(
    model_dir="maskrcnn",
    save_checkpoints_steps=10,
    precision_mode="allow_fp32_to_fp16",
    modify_mixlist="ops_info.json",  # << NPU606
    op_debug_level=5,  # << NPU604 NPU609
)
NPUEstimator(model_fn, config=config).train(input_fn, max_steps=10)
