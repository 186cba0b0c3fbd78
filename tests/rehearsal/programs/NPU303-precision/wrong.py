"""Mixed precision beside acceleration."""

import tensorflow as tf
from npu_bridge.npu_init import *

data = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0, 4.0]).repeat().batch(2, drop_remainder=True)
iterator = tf.compat.v1.data.make_initializable_iterator(data)
x = iterator.get_next()
weight = tf.Variable(0.3, name="weight")
loss = tf.reduce_mean(tf.square(weight * x - x))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_or_create_global_step())
tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)

config = tf.ConfigProto(allow_soft_placement=True)
npu = config.graph_options.rewrite_options.custom_optimizers.add()
npu.name = "NpuOptimizer"
npu.parameter_map["enable_data_pre_proc"].b = True
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
npu.parameter_map["experimental_accelerate_train_mode"].s = tf.compat.as_bytes("fast|step|0.5")
npu.parameter_map["precision_mode"].s = tf.compat.as_bytes("allow_mix_precision")
hooks = [tf.train.StopAtStepHook(last_step=6), TellMeStepOrLossHook(step="global_step:0", total_step=6)]

with tf.train.MonitoredTrainingSession(config=config, hooks=hooks) as sess:  # << NPU303
    while not sess.should_stop():
        sess.run(step)
