"""The model computes in float64; data that is cast does not."""

import tensorflow as tf
from npu_bridge.npu_init import *

x = tf.placeholder(tf.float64, [2])
weight = tf.Variable(tf.constant(0.3, tf.float64), name="weight")
loss = tf.reduce_mean(tf.square(weight * x - x))  # << NPU724
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(step, {x: [1.0, 2.0]})
