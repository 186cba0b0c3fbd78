"""DSSM: the step is counted in the group of the update, in the method of a class."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *


class Dssm(object):
    def __init__(self):
        self.query = tf.placeholder(tf.float32, [2, 8])
        self.global_step = tf.train.get_or_create_global_step()
        self.loss = tf.reduce_mean(tf.square(tf.layers.dense(self.query, 2)))
        self.train_op = self.build_train_op()

    def build_train_op(self):
        manager = ExponentialUpdateLossScaleManager(init_loss_scale=2**12, incr_every_n_steps=100)
        optimizer = NPULossScaleOptimizer(tf.train.AdamOptimizer(), manager)
        update = optimizer.apply_gradients(optimizer.compute_gradients(self.loss))
        return tf.group(update, self.global_step.assign_add(1))  # << NPU406


model = Dssm()
with tf.Session(config=npu_config_proto()) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(2):
        sess.run(model.train_op, feed_dict={model.query: np.ones([2, 8])})
