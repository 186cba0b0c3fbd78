"""WGAN: the critic and the generator take turns; each has a manager, each update a run; silent."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *


def make_manager():
    return ExponentialUpdateLossScaleManager(init_loss_scale=2**16, incr_every_n_steps=1000)


noise = tf.placeholder(tf.float32, [4, 8])
fake = tf.layers.dense(noise, 8, name="generator")
critic = tf.reduce_mean(tf.layers.dense(fake, 1, name="critic"))
c_op = NPULossScaleOptimizer(tf.train.RMSPropOptimizer(5e-5), make_manager()).minimize(
    -critic, var_list=tf.trainable_variables("critic")
)
g_op = NPULossScaleOptimizer(tf.train.RMSPropOptimizer(5e-5), make_manager()).minimize(
    critic, var_list=tf.trainable_variables("generator")
)

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["precision_mode_v2"].s = tf.compat.as_bytes("mixed_float16")
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(2):
        for _ in range(5):
            sess.run(c_op, {noise: np.ones([4, 8])})
        sess.run(g_op, {noise: np.ones([4, 8])})
