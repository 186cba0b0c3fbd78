"""word2vec: the looped operation is built once."""

import tensorflow as tf
from npu_bridge.npu_init import *

N = 10
dataset = tf.data.Dataset.from_tensors(tf.ones([8])).repeat().batch(4, drop_remainder=True)
iterator = tf.data.make_initializable_iterator(dataset)
loss = tf.reduce_mean(tf.square(tf.layers.dense(iterator.get_next(), 4)))
optimizer = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_data_pre_proc"].b = True
custom_op.parameter_map["iterations_per_loop"].i = N
custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("allow_mix_precision")
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF

with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(iterator.initializer)
    train_op = util.set_iteration_per_loop(sess, optimizer, N)
    for step in range(50 // N):
        _, value = sess.run([train_op, loss])
        print("run %d: %.4f" % (step, value))
