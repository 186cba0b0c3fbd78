"""The fetches are put together in an object, and its session is opened on demand."""

import tensorflow as tf
from npu_bridge.npu_init import *

data = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0, 4.0]).repeat().batch(2, drop_remainder=True)
iterator = tf.compat.v1.data.make_initializable_iterator(data)
x = iterator.get_next()
weight = tf.Variable(0.3, name="weight")
loss = tf.reduce_mean(tf.square(weight * x - x))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

config = tf.ConfigProto(allow_soft_placement=True)
npu = config.graph_options.rewrite_options.custom_optimizers.add()
npu.name = "NpuOptimizer"
npu.parameter_map["enable_data_pre_proc"].b = True
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF


class Trainer(object):
    def __init__(self):
        self.sess = None
        self.ops = {"i": [iterator.initializer]}

    def open(self):
        self.sess = self.sess or tf.Session(config=config)
        return self.sess

    def setup(self):
        for fetch in self.ops["i"] + [tf.global_variables_initializer()]:
            self.open().run(fetch)

    def go(self):
        for _ in range(2):
            self.open().run(step)


t = Trainer()
t.setup()
t.go()
