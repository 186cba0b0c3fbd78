"""Transformer: one of two calls of the NPU's dropout got TensorFlow's argument."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

from transformer import attention, feed_forward

tokens = tf.placeholder(tf.float32, [2, 4, 8])
output = feed_forward(attention(tokens, 0.1, True), 0.1, True)
loss = tf.reduce_mean(tf.square(output))
train_op = tf.train.AdamOptimizer().minimize(loss)

with tf.Session(config=npu_config_proto()) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(train_op, {tokens: np.ones([2, 4, 8])})
