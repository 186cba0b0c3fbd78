"""Strings in the model; summaries and prints are no such thing."""

import tensorflow as tf
from npu_bridge.npu_init import *

x = h = tf.placeholder(tf.int64, [2])
e = tf.get_variable("e", [4, 2], initializer=tf.ones_initializer())
l = tf.reduce_mean(tf.gather(e, h))
step = tf.train.GradientDescentOptimizer(0.1).minimize(l)
tf.summary.scalar("l", l)
merged = tf.summary.merge_all()
pr = tf.print("loss", l)
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    s.run([step, merged, pr], {x: [0, 1]})
