"""LaneNet: the loss is tested by TensorFlow's operators before it is printed."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

image = tf.placeholder(tf.float32, [2, 8])
loss = tf.reduce_mean(tf.square(tf.layers.dense(image, 2)))
is_bad = tf.logical_or(tf.is_nan(loss), tf.is_inf(loss))  # << NPU405 NPU405
train_op = tf.train.AdamOptimizer().minimize(loss)
with tf.Session(config=npu_config_proto()) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(2):
        _, bad = sess.run([train_op, is_bad], feed_dict={image: np.ones([2, 8])})
        print(bad)
