"""DIN with Rec SDK: one method modifies the graph, another one initializes the old iterator."""

import tensorflow as tf
from mx_rec.util.initialize import init
from npu_bridge.npu_init import *

from model import RunMode

init(max_steps=10, train_steps=10, use_dynamic=True)
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_data_pre_proc"].b = True
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF

dataset = tf.data.Dataset.from_tensors(tf.ones([8])).repeat().batch(4, drop_remainder=True)
iterator = dataset.make_initializable_iterator()
loss = tf.reduce_mean(tf.square(tf.layers.dense(iterator.get_next(), 1)))
RunMode(iterator, loss, True).train(config, 10)
