"""BiSeNet: the NPU is started by hand with the options of the training."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *


def make_config():
    config = tf.ConfigProto(allow_soft_placement=True)
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
    custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("allow_mix_precision")
    config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
    config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    return config


start_npu = npu_ops.initialize_system()
stop_npu = npu_ops.shutdown_system()
image = tf.placeholder(tf.float32, [2, 8])
loss = tf.reduce_mean(tf.square(tf.layers.dense(image, 2)))
train_op = tf.train.AdamOptimizer().minimize(loss)
with tf.Session(config=make_config()) as init_sess:
    init_sess.run(start_npu)
    with tf.Session(config=make_config()) as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train_op, feed_dict={image: np.ones([2, 8])})
    init_sess.run(stop_npu)
