"""The manager stands under a control dependency."""

import tensorflow as tf
from npu_bridge.npu_init import *

x = tf.placeholder(tf.float32, [2])
weight = tf.Variable(0.3, name="weight")
loss = tf.reduce_mean(tf.square(weight * x - x))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

with tf.control_dependencies([tf.identity(loss)]):
    manager = ExponentialUpdateLossScaleManager(init_loss_scale=8.0, incr_every_n_steps=10)  # << NPU401
    scaled = NPULossScaleOptimizer(tf.train.GradientDescentOptimizer(0.1), manager).minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(scaled, {x: [1.0, 2.0]})
