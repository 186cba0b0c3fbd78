"""A run in two parts, which leaves the iterator alone."""

import tensorflow as tf
from npu_bridge.npu_init import *

data = tf.data.Dataset.from_tensor_slices([1.0, 2.0]).repeat()
iterator = tf.compat.v1.data.make_initializable_iterator(data)
x = iterator.get_next()
weight = tf.Variable(0.3, name="weight")
change = tf.placeholder(tf.float32, [])
changed = tf.assign_add(weight, change)
ready = tf.constant(1.0) * 1.0

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(iterator.initializer)
    parts = sess.partial_run_setup([changed, ready], [change])
    sess.partial_run(parts, ready)
    sess.partial_run(parts, changed, {change: 2.0})
    sess.run(x)
