"""MobileNetV2 with a session that is fed; options of a debugging run are left in."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig

images = tf.placeholder(tf.float32, [8, 6, 6, 3])
labels = tf.placeholder(tf.int32, [8])
net = tf.layers.separable_conv2d(images, 4, 3, activation=tf.nn.relu6)
logits = tf.layers.dense(tf.layers.flatten(net), 5)
loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
train_op = tf.train.RMSPropOptimizer(0.01).minimize(loss)

config = tf.ConfigProto(allow_soft_placement=True)
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["use_off_line"].b = True
custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("allow_mix_precision")
custom_op.parameter_map["enable_dump_debug"].b = True
custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/tmp/overflow")
custom_op.parameter_map["dump_debug_mode"].s = tf.compat.as_bytes("/tmp/overflow/all")  # << NPU604
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF

with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(5):
        feed = {images: np.ones([8, 6, 6, 3]), labels: np.zeros([8])}
        _, value = sess.run([train_op, loss], feed_dict=feed)
        print("step %d: %.4f" % (step, value))
