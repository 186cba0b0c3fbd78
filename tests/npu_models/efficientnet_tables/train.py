"""EfficientNet: a table with values of all kinds, and a helper that writes each where it belongs."""

import tensorflow as tf
from npu_bridge.npu_init import *

OPTIONS = {
    "use_off_line": True,
    "precision_mode": "allow_mixed_precision",  # << NPU604
    "enable_data_pre_proc": True,
    "iteration_per_loop": 1,  # << NPU201
}


def write(entry, options):
    for key, value in options.items():
        if isinstance(value, bool):
            entry.parameter_map[key].b = value
        elif isinstance(value, int):
            entry.parameter_map[key].i = value
        else:
            entry.parameter_map[key].s = tf.compat.as_bytes(value)


config = tf.ConfigProto()
entry = config.graph_options.rewrite_options.custom_optimizers.add()
entry.name = "NpuOptimizer"
write(entry, OPTIONS)
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF

dataset = tf.data.Dataset.range(16).map(lambda n: tf.cast(n, tf.float32)).repeat().batch(4)
iterator = tf.data.make_initializable_iterator(dataset)
scale = tf.get_variable("scale", [], initializer=tf.ones_initializer())
loss = tf.reduce_mean(tf.square(scale * iterator.get_next()))
train_op = tf.train.GradientDescentOptimizer(0.001).minimize(loss)

with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(iterator.initializer)
    for _ in range(4):
        sess.run(train_op)
