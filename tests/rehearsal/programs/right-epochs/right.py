"""A long pipeline that is started again for each epoch."""

import tensorflow as tf
from npu_bridge.npu_init import *

d = (
    tf.data.Dataset.range(100)
    .shuffle(100, reshuffle_each_iteration=True)
    .map(lambda v: tf.cast(v, tf.float32) + tf.random.uniform([]))
    .interleave(lambda v: tf.data.Dataset.from_tensors(v).repeat(2), cycle_length=2)
    .filter(lambda v: v >= 0.0)
    .batch(4, drop_remainder=True)
)
it = tf.compat.v1.data.make_initializable_iterator(d)
x = it.get_next()
w = tf.Variable(1.0)
step = tf.train.MomentumOptimizer(0.01, 0.9).minimize(tf.reduce_mean(w * x))

config = tf.ConfigProto(allow_soft_placement=True)
npu = config.graph_options.rewrite_options.custom_optimizers.add()
npu.name = "NpuOptimizer"
npu.parameter_map["enable_data_pre_proc"].b = True
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF

with tf.Session(config=config) as s:
    s.run(tf.global_variables_initializer())
    for e in range(2):
        s.run(it.initializer)
        try:
            while True:
                s.run(step)
        except tf.errors.OutOfRangeError:
            pass
