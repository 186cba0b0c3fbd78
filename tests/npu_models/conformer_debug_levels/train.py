"""Conformer: a level of debugging chosen by argparse; every choice is legal."""

import argparse

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

parser = argparse.ArgumentParser()
parser.add_argument("--aoe", choices=["1", "2", "4"], default=None)
parser.add_argument("--deterministic", type=int, default=1)
parser.add_argument("--cache_dir", default="/tmp/kernel_cache")
args = parser.parse_args()

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
if args.aoe:
    custom_op.parameter_map["aoe_mode"].s = tf.compat.as_bytes(args.aoe)
custom_op.parameter_map["deterministic"].i = args.deterministic
custom_op.parameter_map["op_compiler_cache_mode"].s = tf.compat.as_bytes("enable")
custom_op.parameter_map["op_compiler_cache_dir"].s = tf.compat.as_bytes(args.cache_dir)
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
sound = tf.placeholder(tf.float32, [2, 8])
loss = tf.reduce_mean(tf.square(tf.layers.dense(sound, 2)))
train_op = tf.train.AdamOptimizer().minimize(loss)
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train_op, feed_dict={sound: np.ones([2, 8])})
