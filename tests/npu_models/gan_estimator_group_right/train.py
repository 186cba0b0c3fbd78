"""A GAN as an Estimator: both updates in one run, of which one is scaled."""

import tensorflow as tf
from npu_bridge.npu_init import *


def optimizer(rate):
    return NPULossScaleOptimizer(tf.train.AdamOptimizer(rate), FixedLossScaleManager(loss_scale=128))


def model_fn(features, labels, mode, params):
    fake = tf.layers.dense(features, 8, name="g")
    score = tf.reduce_mean(tf.layers.dense(fake, 1, name="d"))
    step = tf.train.get_global_step()
    d_op = optimizer(params["d"]).minimize(score, global_step=step, var_list=tf.trainable_variables("d"))
    g_op = tf.train.AdamOptimizer(params["g"]).minimize(-score, var_list=tf.trainable_variables("g"))
    with tf.control_dependencies([d_op]):
        shown = tf.identity(score)
    return NPUEstimatorSpec(mode, loss=shown, train_op=g_op)


def input_fn():
    return tf.data.Dataset.from_tensors(tf.ones([8])).repeat().batch(2, drop_remainder=True)


config = NPURunConfig(model_dir="gan", save_checkpoints_steps=10)
NPUEstimator(model_fn, config=config, params={"d": 1e-4, "g": 1e-4}).train(input_fn, max_steps=4)
