"""The optimizer counts; what else counts is another variable, or another run."""

import tensorflow as tf
from npu_bridge.npu_init import *

x = tf.placeholder(tf.float32, [2])
weight = tf.Variable(0.3, name="weight")
loss = tf.reduce_mean(tf.square(weight * x - x))
runs = tf.Variable(0, trainable=False, name="runs")
steps = tf.train.get_or_create_global_step()
scaled = NPULossScaleOptimizer(tf.train.GradientDescentOptimizer(0.1), FixedLossScaleManager(8.0))
update = scaled.apply_gradients(scaled.compute_gradients(loss), global_step=steps)
train_op = tf.group(update, tf.assign_add(runs, 1))

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(train_op, {x: [1.0, 2.0]})
    sess.run(tf.assign(steps, 0))
