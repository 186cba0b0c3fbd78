"""A scaffold's init_fn runs a group."""

import tensorflow as tf
from npu_bridge.npu_init import *

data = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0, 4.0]).repeat().batch(2, drop_remainder=True)
iterator = tf.compat.v1.data.make_initializable_iterator(data)
x = iterator.get_next()
weight = tf.Variable(0.3, name="weight")
loss = tf.reduce_mean(tf.square(weight * x - x))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_or_create_global_step())

start = iterator.initializer
ok = weight.assign(2.0)
sc = tf.train.Scaffold(init_fn=lambda scaffold, sess: (sess.run(ok), sess.run(start)))
with tf.train.MonitoredTrainingSession(scaffold=sc) as s:
    s.run(step)
