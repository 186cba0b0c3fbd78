"""TextCNN: options from argparse through a helper, with a value that this field does not take."""

import argparse

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

parser = argparse.ArgumentParser()
parser.add_argument("--precision_mode", default="allow_fp32_to_fp16")
parser.add_argument("--dynamic", action="store_true")
args = parser.parse_args()


def add_npu(config, precision, dynamic):
    entry = config.graph_options.rewrite_options.custom_optimizers.add()
    entry.name = "NpuOptimizer"
    entry.parameter_map["precision_mode"].s = tf.compat.as_bytes(precision)
    entry.parameter_map["op_debug_level"].s = tf.compat.as_bytes("1")  # << NPU602
    if dynamic:
        entry.parameter_map["jit_compile"].b = True  # << NPU602
    config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
    return config


words = tf.placeholder(tf.int32, [None, 12])
table = tf.get_variable("table", [50, 8])
convolved = tf.layers.conv1d(tf.nn.embedding_lookup(table, words), 4, 3)
loss = tf.reduce_mean(tf.square(tf.reduce_max(convolved, axis=1)))
train_op = tf.train.AdamOptimizer(1e-3).minimize(loss)
with tf.Session(config=add_npu(tf.ConfigProto(), args.precision_mode, args.dynamic)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(train_op, feed_dict={words: np.zeros([4, 12])})
