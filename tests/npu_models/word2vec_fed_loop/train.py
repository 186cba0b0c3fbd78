"""word2vec: batches come from a dataset, go to the host and are fed back to a looped operation."""

import tensorflow as tf
from npu_bridge.npu_init import *


def npu_session_config(loop):
    config = tf.ConfigProto()
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
    custom_op.parameter_map["enable_data_pre_proc"].b = True
    custom_op.parameter_map["iterations_per_loop"].i = loop
    config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
    config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    return config


inputs = tf.placeholder(tf.float32, [4, 8])
loss = tf.reduce_mean(tf.square(tf.layers.dense(inputs, 4)))
optimizer = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
init = tf.global_variables_initializer()

with tf.Session(config=npu_session_config(10)) as session:
    session.run(init)
    dataset = tf.data.Dataset.from_tensors(tf.ones([8])).repeat().batch(4, drop_remainder=True)
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    train_op = util.set_iteration_per_loop(session, optimizer, 10)
    session.run(iterator.initializer)
    for step in range(100 // 10):
        batch = session.run(element)
        _, value = session.run([train_op, loss], feed_dict={inputs: batch})  # << NPU107
