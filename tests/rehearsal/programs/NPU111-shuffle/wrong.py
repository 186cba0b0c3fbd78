"""A large shuffle buffer before an offloaded iterator."""

import tensorflow as tf
from npu_bridge.npu_init import *

data = (
    tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0, 4.0])
    .map(lambda number: 2.0 * number)
    .shuffle(20000)  # << NPU111
    .repeat()
    .batch(2, drop_remainder=True)
)
iterator = tf.compat.v1.data.make_initializable_iterator(data)
x = iterator.get_next()
weight = tf.Variable(0.3, name="weight")
loss = tf.reduce_mean(tf.square(weight * x - x))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

config = tf.ConfigProto(allow_soft_placement=True)
npu = config.graph_options.rewrite_options.custom_optimizers.add()
npu.name = "NpuOptimizer"
npu.parameter_map["enable_data_pre_proc"].b = True
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF

with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(iterator.initializer)
    for _ in range(3):
        sess.run(step)
