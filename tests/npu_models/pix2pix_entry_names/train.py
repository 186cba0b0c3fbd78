"""Pix2Pix: two sessions, and the second entry got a number."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

images = tf.placeholder(tf.float32, [2, 8])
output = tf.layers.dense(images, 8)
loss = tf.reduce_mean(tf.abs(output - images))
train_op = tf.train.AdamOptimizer().minimize(loss)

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["use_off_line"].b = True
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(2):
        sess.run(train_op, feed_dict={images: np.ones([2, 8])})

config2 = tf.ConfigProto()
custom_op2 = config2.graph_options.rewrite_options.custom_optimizers.add()
custom_op2.name = "NpuOptimizer2"  # << NPU608
custom_op2.parameter_map["use_off_line"].b = True
config2.graph_options.rewrite_options.remapping = RewriterConfig.OFF
with tf.Session(config=config2) as sess2:
    sess2.run(tf.global_variables_initializer())
    print(sess2.run(output, feed_dict={images: np.ones([2, 8])}).shape)
