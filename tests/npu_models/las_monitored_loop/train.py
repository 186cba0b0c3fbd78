"""LAS: a looped operation is made in a session whose graph is finalized."""

import tensorflow as tf
from npu_bridge.npu_init import *

dataset = tf.data.Dataset.from_tensors(tf.ones([8])).repeat().batch(2, drop_remainder=True)
iterator = tf.data.make_initializable_iterator(dataset)
tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
loss = tf.reduce_mean(tf.square(tf.layers.dense(iterator.get_next(), 4)))
step = tf.train.get_or_create_global_step()
train_op = tf.train.AdamOptimizer().minimize(loss, global_step=step)

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_data_pre_proc"].b = True
custom_op.parameter_map["iterations_per_loop"].i = 5
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
with tf.train.MonitoredTrainingSession(config=config) as sess:
    looped = util.set_iteration_per_loop(sess, train_op, 5)  # << NPU207
    for _ in range(2):
        sess.run(looped)
