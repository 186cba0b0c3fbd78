import tensorflow as tf
from npu_bridge.npu_init import *


class Trainer(object):
    def __init__(self, options):
        self.options = options

    def session_config(self):
        config = tf.ConfigProto()
        custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
        custom_op.name = "NpuOptimizer"
        custom_op.parameter_map["enable_dump"].b = True  # << NPU606
        custom_op.parameter_map["dump_step"].s = tf.compat.as_bytes(self.options["dump_step"])
        custom_op.parameter_map["dump_mode"].s = tf.compat.as_bytes("all")
        config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
        config.graph_options.rewrite_options.memory_optimization = RewriterConfig.ON
        return config

    def train(self, train_op, feed):
        with tf.Session(config=self.session_config()) as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(2):
                sess.run(train_op, feed_dict=feed)
