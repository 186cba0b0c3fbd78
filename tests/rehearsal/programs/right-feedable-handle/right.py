"""A feedable iterator with string handles, two datasets."""

import tensorflow as tf
from npu_bridge.npu_init import *

one = tf.compat.v1.data.make_initializable_iterator(tf.data.Dataset.from_tensor_slices([1.0, 2.0]).repeat())
other = tf.compat.v1.data.make_initializable_iterator(tf.data.Dataset.from_tensor_slices([3.0]).repeat())
handle = tf.placeholder(tf.string, [])
x = tf.data.Iterator.from_string_handle(handle, tf.float32, []).get_next()
weight = tf.Variable(0.3, name="weight")
step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.square(weight * x - x))

config = tf.ConfigProto(allow_soft_placement=True)
npu = config.graph_options.rewrite_options.custom_optimizers.add()
npu.name = "NpuOptimizer"
npu.parameter_map["enable_data_pre_proc"].b = True
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF

with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run([one.initializer, other.initializer])
    for each in sess.run([one.string_handle(), other.string_handle()]):
        sess.run(step, {handle: each})
