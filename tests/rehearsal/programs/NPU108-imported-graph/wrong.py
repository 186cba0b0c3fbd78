"""The graph was loaded; its operations have no lines of their own."""

import tensorflow as tf
from npu_bridge.npu_init import *

data = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0, 4.0]).repeat().batch(2, drop_remainder=True)
iterator = tf.compat.v1.data.make_initializable_iterator(data)
x = iterator.get_next()
weight = tf.Variable(0.3, name="weight")
loss = tf.reduce_mean(tf.square(weight * x - x))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

tf.add_to_collection("go", step)
tf.add_to_collection("i", iterator.initializer)
sv = tf.train.Saver()
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    sv.save(s, "./m")
tf.reset_default_graph()
sv = tf.train.import_meta_graph("./m.meta")
with tf.Session() as s:
    sv.restore(s, "./m")
    s.run([tf.get_collection("i")[0], tf.global_variables_initializer()])  # << NPU108
    s.run(tf.get_collection("go")[0])
