"""Cascade R-CNN: the number of steps in the configuration is the one of the loop."""

import tensorflow as tf
from npu_bridge.npu_init import *

from loop import looped

dataset = tf.data.Dataset.from_tensors(tf.ones([8])).repeat().batch(4, drop_remainder=True)
iterator = tf.data.make_initializable_iterator(dataset)
loss = tf.reduce_mean(tf.square(tf.layers.dense(iterator.get_next(), 4)))
train_op = tf.train.AdamOptimizer().minimize(loss)

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add(name="NpuOptimizer")
custom_op.parameter_map["enable_data_pre_proc"].b = True
custom_op.parameter_map["iterations_per_loop"].i = 10
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(iterator.initializer)
    op = looped(sess, train_op)
    for _ in range(2):
        sess.run(op)
