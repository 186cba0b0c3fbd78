"""Gradients are tested by TensorFlow's operator; clipping by TensorFlow is no such test."""

import tensorflow as tf
from npu_bridge.npu_init import *

x = tf.placeholder(tf.float32, [2])
weight = tf.Variable(0.3, name="weight")
loss = tf.reduce_mean(tf.square(weight * x - x))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

optimizer = tf.train.GradientDescentOptimizer(0.1)
gradients, variables = zip(*optimizer.compute_gradients(loss))
clipped, _ = tf.clip_by_global_norm(gradients, 1.0)
applied = optimizer.apply_gradients(list(zip(clipped, variables)))
good = tf.math.is_finite(x)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run([applied, good], {x: [1.0, 2.0]})
