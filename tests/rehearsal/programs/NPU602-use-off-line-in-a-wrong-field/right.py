"""The switch in its field."""

import tensorflow as tf
from npu_bridge.npu_init import *

x = tf.placeholder(tf.float32, [2])
weight = tf.Variable(0.3, name="weight")
loss = tf.reduce_mean(tf.square(weight * x - x))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

config = tf.ConfigProto(allow_soft_placement=True)
npu = config.graph_options.rewrite_options.custom_optimizers.add()
npu.name = "NpuOptimizer"
npu.parameter_map["enable_data_pre_proc"].b = True
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
npu.parameter_map["use_off_line"].b = True

with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(step, {x: [1.0, 2.0]})
