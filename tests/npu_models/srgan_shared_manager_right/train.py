"""SRGAN: two optimizers with a manager each, whose updates are run one by one."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *


class SRGAN(object):
    def __init__(self, sess):
        self.sess = sess
        self.images = tf.placeholder(tf.float32, [2, 8])
        self.fake = tf.layers.dense(self.images, 8, name="g")
        self.score = tf.reduce_mean(tf.layers.dense(self.fake, 1, name="d"))
        d_manager = ExponentialUpdateLossScaleManager(init_loss_scale=2**10, incr_every_n_steps=200)
        g_manager = ExponentialUpdateLossScaleManager(init_loss_scale=2**10, incr_every_n_steps=200)
        d_optimizer = NPULossScaleOptimizer(tf.train.AdamOptimizer(1e-4), d_manager)
        g_optimizer = NPULossScaleOptimizer(tf.train.AdamOptimizer(1e-4), g_manager)
        self.d_train = d_optimizer.minimize(self.score, var_list=tf.trainable_variables("d"))
        self.g_train = g_optimizer.minimize(-self.score, var_list=tf.trainable_variables("g"))

    def train(self):
        self.sess.run(tf.global_variables_initializer())
        for _ in range(2):
            self.sess.run(self.d_train, feed_dict={self.images: np.ones([2, 8])})
            self.sess.run(self.g_train, feed_dict={self.images: np.ones([2, 8])})


config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
with tf.Session(config=config) as sess:
    SRGAN(sess).train()
