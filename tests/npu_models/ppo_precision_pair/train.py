"""PPO: an old precision mode stays when the new one comes; the value depends on a flag."""

import argparse

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

parser = argparse.ArgumentParser()
parser.add_argument(
    "--precision_mode", default="allow_fp32_to_fp16", choices=["allow_fp32_to_fp16", "force_fp32"]
)
args = parser.parse_args()

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes(args.precision_mode)
custom_op.parameter_map["precision_mode_v2"].s = tf.compat.as_bytes("mixed_float16")  # << NPU605
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF

states = tf.placeholder(tf.float32, [4, 3])
policy = tf.nn.softmax(tf.layers.dense(states, 2))
loss = -tf.reduce_mean(tf.log(policy[:, 0]))
train_op = tf.train.AdamOptimizer(3e-4).minimize(loss)
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(2):
        sess.run(train_op, feed_dict={states: np.ones([4, 3])})
