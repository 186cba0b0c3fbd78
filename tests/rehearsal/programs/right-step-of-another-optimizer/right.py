"""One of two optimizers counts the steps, and the scaled one does not: nothing counts beside an update."""

import tensorflow as tf
from npu_bridge.npu_init import *

x = tf.placeholder(tf.float32, [2])
weight = tf.Variable(0.3, name="weight")
other = tf.Variable(0.3, name="other")
steps = tf.train.get_or_create_global_step()
plain = tf.train.GradientDescentOptimizer(0.1)
counted = plain.minimize(tf.reduce_mean(tf.square(other * x - x)), global_step=steps, var_list=[other])
scaled = NPULossScaleOptimizer(tf.train.GradientDescentOptimizer(0.1), FixedLossScaleManager(8.0))
update = scaled.minimize(tf.reduce_mean(tf.square(weight * x - x)), var_list=[weight])

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run([counted, update], {x: [1.0, 2.0]})
