"""MAML: the pair that makes and loads the loop, for a graph that is finalized; silent."""

import tensorflow as tf
from npu_bridge.npu_init import *

LOOP = 4
dataset = tf.data.Dataset.from_tensors(tf.ones([8])).repeat().batch(4, drop_remainder=True)
iterator = tf.data.make_initializable_iterator(dataset)
tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
loss = tf.reduce_mean(tf.square(tf.layers.dense(iterator.get_next(), 4)))
optimizer = tf.train.AdamOptimizer().minimize(loss)
iteration = util.IterationPerLoop()
train_op = iteration.create_iteration_per_loop_var(optimizer)

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_data_pre_proc"].b = True
custom_op.parameter_map["iterations_per_loop"].i = LOOP
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
supervisor = tf.train.Supervisor(logdir=None)
with supervisor.managed_session(config=config) as sess:
    iteration.load_iteration_per_loop_var(sess, LOOP)
    for _ in range(20 // LOOP):
        sess.run(train_op)
