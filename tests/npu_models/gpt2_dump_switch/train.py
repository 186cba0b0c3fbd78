"""GPT-2: either a dump or a search for overflows, never both; silent."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

flags = tf.flags
flags.DEFINE_bool("data_dump", False, "dump the tensors")
flags.DEFINE_bool("over_dump", False, "dump where numbers overflow")
flags.DEFINE_string("dump_path", "/tmp/dump", "where to")
FLAGS = flags.FLAGS

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("must_keep_origin_dtype")
if FLAGS.data_dump:
    custom_op.parameter_map["enable_dump"].b = True
    custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes(FLAGS.dump_path)
    custom_op.parameter_map["dump_step"].s = tf.compat.as_bytes("0|5|10")
    custom_op.parameter_map["dump_mode"].s = tf.compat.as_bytes("all")
elif FLAGS.over_dump:
    custom_op.parameter_map["enable_dump_debug"].b = True
    custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes(FLAGS.dump_path)
    custom_op.parameter_map["dump_debug_mode"].s = tf.compat.as_bytes("all")

tokens = tf.placeholder(tf.int32, [2, 8])
logits = tf.layers.dense(tf.one_hot(tokens, 16), 16)
loss = tf.losses.sparse_softmax_cross_entropy(tokens, logits)
train_op = tf.train.AdamOptimizer(1e-4).minimize(loss)
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(train_op, {tokens: np.zeros([2, 8])})
