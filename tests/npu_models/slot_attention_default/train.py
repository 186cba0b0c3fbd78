"""Slot attention: the default of an argument is no value that the NPU knows."""

import argparse

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

parser = argparse.ArgumentParser()
parser.add_argument("--precision_mode", type=str, default="mix_precision")
args = parser.parse_args()

session_config = tf.ConfigProto()
custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes(str(args.precision_mode))  # << NPU604
session_config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF

slots = tf.placeholder(tf.float32, [2, 8])
loss = tf.reduce_mean(tf.square(tf.layers.dense(slots, 2)))
train_op = tf.train.AdamOptimizer().minimize(loss)
with tf.Session(config=session_config) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train_op, feed_dict={slots: np.ones([2, 8])})
