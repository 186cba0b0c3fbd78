"""A hook stops after six steps, four in each run; the session counts from its checkpoint on."""

import tensorflow as tf
from npu_bridge.npu_init import *

data = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0, 4.0]).repeat().batch(2, drop_remainder=True)
iterator = tf.compat.v1.data.make_initializable_iterator(data)
x = iterator.get_next()
weight = tf.Variable(0.3, name="weight")
loss = tf.reduce_mean(tf.square(weight * x - x))
update = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_or_create_global_step())

step = tf.group(update, name="IterationOp")
tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)

config = tf.ConfigProto(allow_soft_placement=True)
npu = config.graph_options.rewrite_options.custom_optimizers.add()
npu.name = "NpuOptimizer"
npu.parameter_map["enable_data_pre_proc"].b = True
npu.parameter_map["iterations_per_loop"].i = 4
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF

hooks = [tf.train.StopAtStepHook(num_steps=6), SetIterationsVarHook(4)]
with tf.train.MonitoredTrainingSession(config=config, hooks=hooks) as sess:  # << NPU202
    while not sess.should_stop():
        sess.run(step)
