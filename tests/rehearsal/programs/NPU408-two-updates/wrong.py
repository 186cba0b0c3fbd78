"""One run fetches the updates of two loss-scale optimizers."""

import tensorflow as tf
from npu_bridge.npu_init import *

x = tf.placeholder(tf.float32, [2])
weight = tf.Variable(0.3, name="weight")
loss = tf.reduce_mean(tf.square(weight * x - x))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

other = tf.Variable(0.5, name="other")
scale = FixedLossScaleManager(8.0)
first = NPULossScaleOptimizer(tf.train.GradientDescentOptimizer(0.1), scale).minimize(loss, var_list=[weight])
second = NPULossScaleOptimizer(tf.train.GradientDescentOptimizer(0.1), scale).minimize(
    other * loss, var_list=[other]
)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run([first, second], {x: [1.0, 2.0]})  # << NPU408
