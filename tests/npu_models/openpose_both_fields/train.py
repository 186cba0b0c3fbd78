"""OpenPose: one option is first written in a wrong field and then in the right one; a config is copied."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["graph_run_mode"].b = False  # << NPU602
custom_op.parameter_map["graph_run_mode"].i = 0
custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("force_fp16")
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
other = tf.ConfigProto()
other.CopyFrom(config)

image = tf.placeholder(tf.float32, [2, 8])
output = tf.layers.dense(image, 2)
for one in (config, other):
    with tf.Session(config=one) as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run(output, feed_dict={image: np.ones([2, 8])}).shape)
