"""Wide & Deep: the vendor's loop with a table of fetches; the step is left to the optimizer."""

import tensorflow as tf
from npu_bridge.npu_init import *


class WideDeep(object):
    def __init__(self, features):
        wide = tf.layers.dense(features, 1, use_bias=False)
        deep = tf.layers.dense(tf.layers.dense(features, 8, activation=tf.nn.relu), 1)
        self.loss = tf.reduce_mean(tf.square(wide + deep))
        self.step = tf.train.get_or_create_global_step()
        manager = FixedLossScaleManager(loss_scale=1000.0)
        deep_optimizer = NPULossScaleOptimizer(tf.train.AdamOptimizer(1e-3), manager)
        self.op = deep_optimizer.minimize(self.loss, global_step=self.step)


def session_config():
    config = tf.ConfigProto()
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
    custom_op.parameter_map["use_off_line"].b = True
    custom_op.parameter_map["enable_data_pre_proc"].b = True
    custom_op.parameter_map["mix_compile_mode"].b = False
    custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("allow_mix_precision")
    config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
    config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    return config


dataset = tf.data.Dataset.from_tensors(tf.ones([10])).repeat(20).batch(4, drop_remainder=True)
iterator = dataset.make_initializable_iterator()
model = WideDeep(iterator.get_next())
with tf.Session(config=session_config()) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(iterator.initializer)
    while True:
        try:
            fetched = sess.run({"loss": model.loss, "train": model.op})
        except tf.errors.OutOfRangeError:
            break
    print("%.4f" % fetched["loss"])
