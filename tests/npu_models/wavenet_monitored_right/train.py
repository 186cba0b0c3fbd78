"""WaveNet: a monitored session until its hook stops it."""

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
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
hooks = npu_hooks_append(hooks_list=[tf.train.StopAtStepHook(last_step=5)])
with tf.train.MonitoredTrainingSession(hooks=hooks, config=config) as sess:
    while not sess.should_stop():
        sess.run(train_op)
