"""ESMM for a newer release: options that the tables may not have yet are no mistakes of the program."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["oo_level"].s = tf.compat.as_bytes("O1")
custom_op.parameter_map["optimization_switch"].s = tf.compat.as_bytes("AABiasaddConvFusion:off")
custom_op.parameter_map["all_tensor_not_empty"].b = True
custom_op.parameter_map["weight_offload_level"].i = 2  # << NPU601
custom_op.parameter_map["jit_compile"].s = tf.compat.as_bytes("true")
custom_op.parameter_map["shape_generalization_mode"].s = tf.compat.as_bytes("ADAPTIVE")
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF

clicks = tf.placeholder(tf.float32, [None, 6])
loss = tf.reduce_mean(tf.square(tf.layers.dense(clicks, 2)))
train_op = tf.train.AdamOptimizer().minimize(loss)
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(train_op, feed_dict={clicks: np.ones([4, 6])})
