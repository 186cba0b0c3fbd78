"""CenterNet: options as rows of key, field and value, written by setattr."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

import npu_settings

config = tf.ConfigProto()
entry = config.graph_options.rewrite_options.custom_optimizers.add()
entry.name = "NpuOptimizer"
npu_settings.apply(entry)
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF

image = tf.placeholder(tf.float32, [2, 8])
loss = tf.reduce_mean(tf.square(tf.layers.dense(image, 2)))
train_op = tf.train.AdamOptimizer().minimize(loss)
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(2):
        sess.run(train_op, feed_dict={image: np.ones([2, 8])})
