"""Two graphs, each with its session; only one mixes."""

import tensorflow as tf
from npu_bridge.npu_init import *


def build():
    data = tf.data.Dataset.from_tensor_slices([1.0, 2.0]).repeat().batch(2, drop_remainder=True)
    iterator = tf.compat.v1.data.make_initializable_iterator(data)
    weight = tf.get_variable("weight", initializer=0.3)
    loss = tf.reduce_mean(tf.square(weight * iterator.get_next() - 1.0))
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return iterator.initializer, tf.global_variables_initializer(), step


for _ in range(2):
    with tf.Graph().as_default():
        start, variables, step = build()
        with tf.Session() as sess:
            sess.run(variables)
            sess.run(start)
            sess.run(step)
