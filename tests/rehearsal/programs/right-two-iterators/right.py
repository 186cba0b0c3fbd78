"""Two iterators in one run."""

import tensorflow as tf
from npu_bridge.npu_init import *

a = tf.compat.v1.data.make_initializable_iterator(tf.data.Dataset.range(10).repeat())
b = tf.compat.v1.data.make_initializable_iterator(
    tf.data.Dataset.zip((tf.data.Dataset.range(3), tf.data.Dataset.range(3))).repeat()
)
w = tf.Variable(1.0)
l = w * tf.cast(a.get_next() + b.get_next()[0], tf.float32)
step = tf.train.GradientDescentOptimizer(0.1).minimize(l)
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    s.run([i.initializer for i in (a, b)])
    s.run(step)
