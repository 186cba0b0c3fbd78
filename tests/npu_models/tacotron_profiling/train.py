"""Tacotron: profiling, with the points of the iteration as keys of their own."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

FLAGS = tf.flags.FLAGS
tf.flags.DEFINE_bool("profiling", True, "collect a profile")

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
if FLAGS.profiling:
    custom_op.parameter_map["profiling_mode"].b = True
    options = '{"output":"/tmp/profiling","task_trace":"on","fp_point":"","bp_point":""}'
    custom_op.parameter_map["profiling_options"].s = tf.compat.as_bytes(options)
    custom_op.parameter_map["fp_point"].s = tf.compat.as_bytes("dense/MatMul")  # << NPU601
    custom_op.parameter_map["bp_point"].s = tf.compat.as_bytes("gradients/AddN")  # << NPU601
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF

mel = tf.placeholder(tf.float32, [2, 8])
loss = tf.reduce_mean(tf.abs(tf.layers.dense(mel, 8) - mel))
train_op = tf.train.AdamOptimizer().minimize(loss)
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(2):
        sess.run(train_op, feed_dict={mel: np.ones([2, 8])})
