"""The table is initialized on the host, in the iterator's run."""

import tensorflow as tf
from npu_bridge.npu_init import *

table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1.0, 2.0]), 0.0)
data = tf.data.Dataset.from_tensor_slices(["a", "b"]).map(table.lookup).repeat().batch(2, drop_remainder=True)
it = tf.compat.v1.data.make_initializable_iterator(data)
w = tf.Variable(1.0)
step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(w * it.get_next()))
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    s.run([tf.tables_initializer(), it.initializer])
    s.run(step)
