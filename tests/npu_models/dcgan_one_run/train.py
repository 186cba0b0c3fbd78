"""DCGAN: both updates in one run, each with a loss scale of its own."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *


def scaled(optimizer):
    manager = ExponentialUpdateLossScaleManager(
        init_loss_scale=2**16, incr_every_n_steps=1000, decr_every_n_nan_or_inf=2, decr_ratio=0.8
    )
    return NPULossScaleOptimizer(optimizer, manager)


noise = tf.placeholder(tf.float32, [4, 8])
real = tf.placeholder(tf.float32, [4, 8])
with tf.variable_scope("generator"):
    fake = tf.layers.dense(noise, 8)
with tf.variable_scope("discriminator"):
    judge = tf.layers.Dense(1)
    d_loss = tf.reduce_mean(judge(fake)) - tf.reduce_mean(judge(real))
g_loss = -tf.reduce_mean(judge(fake))
d_op = scaled(tf.train.AdamOptimizer(2e-4)).minimize(d_loss, var_list=judge.trainable_variables)
g_op = scaled(tf.train.AdamOptimizer(2e-4)).minimize(g_loss, var_list=tf.trainable_variables("generator"))

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        feed = {noise: np.ones([4, 8]), real: np.ones([4, 8])}
        sess.run([d_op, g_op], feed_dict=feed)  # << NPU408
