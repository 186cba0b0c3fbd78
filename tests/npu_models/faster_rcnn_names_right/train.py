"""Faster R-CNN: the configuration comes from another module."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

from cfg import npu_config

rois = tf.placeholder(tf.float32, [8, 4])
scores = tf.layers.dense(rois, 2)
loss = tf.reduce_mean(scores)
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

with tf.Session(config=npu_config()) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(train_op, feed_dict={rois: np.zeros([8, 4])})
