"""A monitored session's default runs local variables and tables together; zeros do no harm."""

import tensorflow as tf
from npu_bridge.npu_init import *

data = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0, 4.0]).repeat().batch(2, drop_remainder=True)
iterator = tf.compat.v1.data.make_initializable_iterator(data)
x = iterator.get_next()
weight = tf.Variable(0.3, name="weight")
loss = tf.reduce_mean(tf.square(weight * x - x))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_or_create_global_step())

seen = tf.get_variable("seen", initializer=0.0, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES])
accuracy, update = tf.metrics.mean(loss)
tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)

config = tf.ConfigProto(allow_soft_placement=True)
npu = config.graph_options.rewrite_options.custom_optimizers.add()
npu.name = "NpuOptimizer"
npu.parameter_map["enable_data_pre_proc"].b = True
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF

with tf.train.MonitoredTrainingSession(config=config) as sess:
    for _ in range(3):
        sess.run([step, update])
