"""Python in the model; in the dataset it is the host's."""

import tensorflow as tf
from npu_bridge.npu_init import *

x = tf.placeholder(tf.float32, [2])
weight = tf.Variable(0.3, name="weight")
halved = tf.compat.v1.py_func(lambda one: one / 2, [x], tf.float32)  # << NPU725
loss = tf.reduce_mean(tf.square(weight * x - tf.reshape(halved, [2])))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(step, {x: [1.0, 2.0]})
