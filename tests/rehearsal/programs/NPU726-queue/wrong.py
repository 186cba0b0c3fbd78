"""A queue feeds training."""

import tensorflow as tf
from npu_bridge.npu_init import *

rows = tf.train.slice_input_producer([tf.constant([1.0, 2.0, 3.0, 4.0])], shuffle=False)
x = tf.train.batch(rows, 2)  # << NPU726
weight = tf.Variable(0.3, name="weight")
loss = tf.reduce_mean(tf.square(weight * x - x))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    for _ in range(3):
        sess.run(step)
    coord.request_stop()
    coord.join(threads)
