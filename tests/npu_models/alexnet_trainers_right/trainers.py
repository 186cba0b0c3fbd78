import tensorflow as tf
from npu_bridge.npu_init import *


class SessionConfig(object):
    def __init__(self, args):
        self.config = tf.ConfigProto(allow_soft_placement=True)
        custom_op = self.config.graph_options.rewrite_options.custom_optimizers.add()
        custom_op.name = "NpuOptimizer"
        custom_op.parameter_map["enable_data_pre_proc"].b = True
        custom_op.parameter_map["iterations_per_loop"].i = args.iterations_per_loop
        custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("allow_mix_precision")
        self.config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
        self.config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF


class Trainer(object):
    def __init__(self, args, sess_config, loss):
        self.args = args
        self.sess = tf.Session(config=sess_config.config)
        self.train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

    def run(self, iterator):
        self.sess.run(tf.global_variables_initializer())
        self.sess.run(iterator.initializer)
        looped = util.set_iteration_per_loop(self.sess, self.train_op, self.args.iterations_per_loop)
        for _ in range(self.args.max_steps // self.args.iterations_per_loop):
            self.sess.run(looped)
        self.sess.close()
