"""DeepFM: a complete configuration for the NPU, and a session without it."""

import tensorflow as tf
from npu_bridge.npu_init import *
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["sump_mode"].s = tf.compat.as_bytes("all")  # << NPU601
custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("allow_mix_precision")
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF

values = tf.constant([[1.0, 2.0], [3.0, 4.0]])
loss = tf.reduce_mean(tf.square(tf.layers.dense(values, 1)))
train_op = tf.train.FtrlOptimizer(0.1).minimize(loss)
with tf.Session(config=npu_config_proto()) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(train_op)
