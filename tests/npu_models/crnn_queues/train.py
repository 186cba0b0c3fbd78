"""CRNN: the batches come from queues, with four threads."""

import tensorflow as tf
from npu_bridge.npu_init import *

lines = tf.train.slice_input_producer([tf.ones([16, 8])], shuffle=False)  # << NPU107
batch = tf.train.batch(lines, batch_size=4, num_threads=4)  # << NPU107
loss = tf.reduce_mean(tf.square(tf.layers.dense(batch, 4)))
train_op = tf.train.AdadeltaOptimizer().minimize(loss)

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coordinator)
    for _ in range(3):
        sess.run(train_op)
    coordinator.request_stop()
    coordinator.join(threads)
