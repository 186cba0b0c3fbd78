"""Data of a Python generator."""

import tensorflow as tf
from npu_bridge.npu_init import *


def gen():
    for i in range(100):
        yield float(i)


data = tf.data.Dataset.from_generator(gen, tf.float32, []).batch(2, drop_remainder=True).prefetch(1)
it = tf.compat.v1.data.make_initializable_iterator(data)
x = it.get_next()
w = tf.Variable(1.0)
step = tf.train.GradientDescentOptimizer(0.0).minimize(tf.reduce_mean(w * x))
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    s.run(it.initializer)
    for _ in range(3):
        s.run(step)
