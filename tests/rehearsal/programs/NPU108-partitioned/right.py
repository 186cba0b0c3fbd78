"""A variable in parts, and the slots of an optimizer."""

import tensorflow as tf
from npu_bridge.npu_init import *

data = tf.data.Dataset.from_tensor_slices([0, 1, 2, 3]).repeat().batch(2, drop_remainder=True)
it = tf.compat.v1.data.make_initializable_iterator(data)
with tf.variable_scope("e", partitioner=tf.fixed_size_partitioner(2)):
    t = tf.get_variable("t", [4, 2], initializer=tf.ones_initializer())
e = tf.nn.embedding_lookup(t, it.get_next())
loss = tf.reduce_mean(e * e)
step = tf.train.AdamOptimizer(0.1).minimize(loss)
with tf.Session() as s:
    s.run(it.initializer)
    s.run(tf.global_variables_initializer())
    s.run(step)
