"""LPCNet: batches from a dataset, a learning rate by feed_dict, several steps for each run."""

import tensorflow as tf
from npu_bridge.npu_init import *

N = 5
rate = tf.placeholder_with_default(0.01, [])
dataset = tf.data.Dataset.from_tensors(tf.ones([8])).repeat().batch(4, drop_remainder=True)
iterator = tf.data.make_initializable_iterator(dataset)
loss = tf.reduce_mean(tf.square(tf.layers.dense(iterator.get_next(), 4)))
train_op = tf.train.GradientDescentOptimizer(rate).minimize(loss)

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_data_pre_proc"].b = True
custom_op.parameter_map["iterations_per_loop"].i = N
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(iterator.initializer)
    looped = util.set_iteration_per_loop(sess, train_op, N)
    for turn in range(20 // N):
        sess.run(looped, feed_dict={rate: 0.01 * 0.5**turn})
