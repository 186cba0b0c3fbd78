"""The operations of a loaded graph have the line of the import only: the verdict stands on the run."""

import tensorflow as tf
from npu_bridge.npu_init import *

data = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0, 4.0]).repeat().batch(2, drop_remainder=True)
iterator = tf.compat.v1.data.make_initializable_iterator(data)
x = iterator.get_next()
weight = tf.Variable(0.3, name="weight")
variables = tf.group(tf.global_variables_initializer(), name="variables")
both = tf.group(iterator.initializer, name="data")
graph = tf.train.export_meta_graph()
tf.reset_default_graph()
tf.train.import_meta_graph(graph)
with tf.Session() as sess:
    sess.run("variables")
    sess.run("data")
