"""GAT: two custom optimizers in one config; the other one's keys are its own."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

config = tf.ConfigProto()
ours = config.graph_options.rewrite_options.custom_optimizers.add()
ours.name = "GraphPrinter"
ours.parameter_map["folder"].s = b"/tmp/graphs"
ours.parameter_map["every"].i = 10
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["use_off_line"].b = True
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
nodes = tf.placeholder(tf.float32, [4, 6])
loss = tf.reduce_mean(tf.square(tf.layers.dense(nodes, 2)))
train_op = tf.train.AdamOptimizer().minimize(loss)
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train_op, feed_dict={nodes: np.ones([4, 6])})
