"""PSPNet: texts go into fields of bytes, and a key is assigned instead of its field."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["precision_mode"].s = "allow_mix_precision"  # << NPU603
custom_op.parameter_map["graph_run_mode"].i = "1"  # << NPU603
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF

image = tf.placeholder(tf.float32, [2, 8])
loss = tf.reduce_mean(tf.square(tf.layers.dense(image, 2)))
train_op = tf.train.AdamOptimizer().minimize(loss)
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train_op, feed_dict={image: np.ones([2, 8])})
