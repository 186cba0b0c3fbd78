"""Jasper: a table of keyword arguments for NPURunConfig; a learning rate that falls; silent."""

import tensorflow as tf
from npu_bridge.npu_init import *

RUN = dict(
    model_dir="jasper",
    save_checkpoints_steps=10,
    keep_checkpoint_max=2,
    precision_mode="allow_mix_precision",
    op_execute_timeout=600,
)


def input_fn():
    return tf.data.Dataset.from_tensors(tf.ones([8])).repeat().batch(4, drop_remainder=True)


def model_fn(features, labels, mode, params):
    step = tf.train.get_or_create_global_step()
    rate = tf.train.polynomial_decay(params["rate"], step, 20, end_learning_rate=1e-5)
    loss = tf.reduce_mean(tf.square(tf.layers.dense(features, 4)))
    optimizer = NPULossScaleOptimizer(
        tf.train.MomentumOptimizer(rate, 0.9), FixedLossScaleManager(loss_scale=2**10)
    )
    return NPUEstimatorSpec(mode, loss=loss, train_op=optimizer.minimize(loss, global_step=step))


estimator = NPUEstimator(model_fn, config=NPURunConfig(**RUN), params={"rate": 0.01})
estimator.train(input_fn, max_steps=20)
