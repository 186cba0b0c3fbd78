"""Whether the ranks share their overflows follows from their number, and here there is one."""

import os

import tensorflow as tf
from npu_bridge.npu_init import *

x = tf.placeholder(tf.float32, [2])
weight = tf.Variable(0.3, name="weight")
loss = tf.reduce_mean(tf.square(weight * x - x))
several = int(os.getenv("RANK_SIZE", "1")) > 1
averaged = NPUDistributedOptimizer(tf.train.GradientDescentOptimizer(0.1))
scaled = NPULossScaleOptimizer(averaged, FixedLossScaleManager(8.0), is_distributed=several)
step = scaled.minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(step, {x: [1.0, 2.0]})
