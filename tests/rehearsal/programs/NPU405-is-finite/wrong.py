"""Gradients are tested by TensorFlow's operator; clipping by TensorFlow is no such test."""

import tensorflow as tf
from npu_bridge.npu_init import *

x = tf.placeholder(tf.float32, [2])
weight = tf.Variable(0.3, name="weight")
loss = tf.reduce_mean(tf.square(weight * x - x))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

optimizer = tf.train.GradientDescentOptimizer(0.1)
pairs = optimizer.compute_gradients(loss)
usable = tf.reduce_all([tf.math.is_finite(gradient) for gradient, _ in pairs])  # << NPU405
applied = tf.cond(usable, lambda: optimizer.apply_gradients(pairs), tf.no_op)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(applied, {x: [1.0, 2.0]})
