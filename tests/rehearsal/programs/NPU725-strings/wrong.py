"""Strings in the model; summaries and prints are no such thing."""

import tensorflow as tf
from npu_bridge.npu_init import *

x = tf.placeholder(tf.string, [2])
h = tf.string_to_hash_bucket_fast(x, 4)  # << NPU725
e = tf.get_variable("e", [4, 2], initializer=tf.ones_initializer())
l = tf.reduce_mean(tf.gather(e, h))
step = tf.train.GradientDescentOptimizer(0.1).minimize(l)
tf.summary.scalar("l", l)
merged = tf.summary.merge_all()
pr = tf.print("loss", l)
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    s.run([step, merged, pr], {x: ["a", "b"]})
