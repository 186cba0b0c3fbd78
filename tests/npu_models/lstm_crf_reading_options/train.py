"""BiLSTM-CRF: the options of the entry are printed, and one depends on what is there."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["precision_mode"].s = "allow_mix_precision".encode()
custom_op.parameter_map["use_off_line"].b = bool(1)
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
if "dump_path" in custom_op.parameter_map:
    custom_op.parameter_map["enable_dump"].b = True
print(sorted(custom_op.parameter_map))

tags = tf.placeholder(tf.float32, [2, 8])
loss = tf.reduce_mean(tf.square(tf.layers.dense(tags, 2)))
train_op = tf.train.AdamOptimizer().minimize(loss)
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train_op, feed_dict={tags: np.ones([2, 8])})
