"""PolyGen: options are written into a config, and the session gets another one; two options are wrong."""

import tensorflow as tf
from npu_bridge.npu_init import *

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["use_off_line"].b = True
custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("allow_mix_precision")
custom_op.parameter_map["aoe_mode"].s = tf.compat.as_bytes("3")  # << NPU604
custom_op.parameter_map["hcom_parallel"].s = tf.compat.as_bytes("True")  # << NPU602

vertices = tf.constant([[0.0, 1.0], [1.0, 0.0]])
loss = tf.reduce_mean(tf.square(tf.layers.dense(vertices, 2)))
train_op = tf.train.AdamOptimizer().minimize(loss)
with tf.Session(config=npu_config_proto()) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(2):
        sess.run(train_op)
