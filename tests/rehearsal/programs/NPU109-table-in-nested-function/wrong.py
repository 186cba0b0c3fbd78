"""The table is used two functions deep; mixed computing keeps it on the host."""

import tensorflow as tf
from npu_bridge.npu_init import *

table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1.0, 2.0]), 0.0)
words = tf.data.Dataset.from_tensor_slices(["a", "b"])
data = words.flat_map(  # << NPU109
    lambda word: tf.data.Dataset.from_tensors(word).map(lambda one: table.lookup(one))
)
iterator = tf.compat.v1.data.make_initializable_iterator(data.repeat().batch(2, drop_remainder=True))
weight = tf.Variable(0.3, name="weight")
step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(weight * iterator.get_next()))

config = tf.ConfigProto(allow_soft_placement=True)
npu = config.graph_options.rewrite_options.custom_optimizers.add()
npu.name = "NpuOptimizer"
npu.parameter_map["enable_data_pre_proc"].b = True
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF

with tf.Session(config=config) as sess:
    sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
    sess.run(iterator.initializer)
    for _ in range(3):
        sess.run(step)
