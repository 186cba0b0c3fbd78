"""A rank skips a step, and the others do not."""

import tensorflow as tf
from npu_bridge.npu_init import *

x = tf.placeholder(tf.float32, [2])
weight = tf.Variable(0.3, name="weight")
loss = tf.reduce_mean(tf.square(weight * x - x))

manager = FixedLossScaleManager(8.0)
shared = NPUDistributedOptimizer(tf.train.GradientDescentOptimizer(0.1))
scaled = NPULossScaleOptimizer(shared, manager)  # << NPU407
wrapped = npu_distributed_optimizer_wrapper(tf.train.GradientDescentOptimizer(0.1))
again = NPULossScaleOptimizer(wrapped, manager)  # << NPU407
plain = NPULossScaleOptimizer(tf.train.GradientDescentOptimizer(0.1), manager)
step = scaled.minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(step, {x: [1.0, 2.0]})
