"""HAN: the options are read from a file, so nothing is known of them."""

import json
import os

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *


def load(path):
    if not os.path.exists(path):
        return {"use_off_line": True}
    with open(path) as file:
        return json.load(file)


config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
for key, value in load("npu.json").items():
    if isinstance(value, bool):
        custom_op.parameter_map[key].b = value
    else:
        custom_op.parameter_map[key].s = tf.compat.as_bytes(str(value))
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF

nodes = tf.placeholder(tf.float32, [2, 8])
loss = tf.reduce_mean(tf.square(tf.layers.dense(nodes, 2)))
train_op = tf.train.AdamOptimizer().minimize(loss)
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train_op, feed_dict={nodes: np.ones([2, 8])})
