"""DCN: mixed computing together with more than one step for each run."""

import tensorflow as tf
from npu_bridge.npu_init import *

OPTIONS = [
    ("mix_compile_mode", True),
    ("enable_data_pre_proc", True),
]
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
for name, on in OPTIONS:
    custom_op.parameter_map[name].b = on
custom_op.parameter_map["iterations_per_loop"].i = 5  # << NPU205
custom_op.parameter_map["variable_placement"].s = tf.compat.as_bytes("Host")
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF

dataset = tf.data.Dataset.from_tensors(tf.ones([8])).repeat().batch(4, drop_remainder=True)
iterator = tf.data.make_initializable_iterator(dataset)
loss = tf.reduce_mean(tf.square(tf.layers.dense(iterator.get_next(), 4)))
train_op = tf.train.AdamOptimizer().minimize(loss)
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(iterator.initializer)
    train_op = util.set_iteration_per_loop(sess, train_op, 5)
    for _ in range(20 // 5):
        sess.run(train_op)
