"""GCN: a config function for three kinds of devices; only the one of the NPU has an entry; silent."""

import os

import numpy as np
import tensorflow as tf

tf.flags.DEFINE_string("device", "npu", "npu, gpu or cpu")
tf.flags.DEFINE_bool("profiling", False, "collect a profile")
FLAGS = tf.flags.FLAGS

if FLAGS.device == "npu":
    from npu_bridge.estimator import npu_ops
    from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig


def config_device(config=None):
    config = tf.ConfigProto() if config is None else config
    if FLAGS.device == "cpu":
        os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
    elif FLAGS.device == "npu":
        custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
        custom_op.name = "NpuOptimizer"
        custom_op.parameter_map["use_off_line"].b = True
        custom_op.parameter_map["profiling_mode"].b = FLAGS.profiling
        config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
        config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    return config


features = tf.placeholder(tf.float32, [4, 6])
dropped = npu_ops.dropout(features, 0.9) if FLAGS.device == "npu" else tf.nn.dropout(features, keep_prob=0.9)
loss = tf.reduce_mean(tf.square(tf.layers.dense(dropped, 2)))
train_op = tf.train.AdamOptimizer(0.01).minimize(loss)
with tf.Session(config=config_device()) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(2):
        sess.run(train_op, feed_dict={features: np.ones([4, 6])})
