"""Where the switch is in a wrong field, the session stays on the host, and the key says why."""

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
npu.parameter_map["use_off_line"].i = 1

with tf.Session(config=config) as sess:  # << NPU602
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(step, {x: [1.0, 2.0]})
