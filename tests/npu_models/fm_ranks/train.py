"""FM on several devices: the rank is asked for at once, saved on one rank, evaluated on one rank."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

rank = get_rank_id()  # << NPU801
features = tf.placeholder(tf.float32, [4, 6])
loss = tf.reduce_mean(tf.square(tf.layers.dense(features, 1)))
accuracy = tf.reduce_mean(tf.cast(loss < 0.5, tf.float32))
optimizer = npu_distributed_optimizer_wrapper(tf.train.AdamOptimizer())
train_op = optimizer.minimize(loss)
saver = tf.train.Saver()

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(hccl_ops.broadcast(tf.trainable_variables(), 0))
    feed = {features: np.ones([4, 6])}
    for step in range(4):
        sess.run(train_op, feed_dict=feed)
        if rank == 0 and step % 2 == 0:
            print(sess.run(accuracy, feed_dict=feed))  # << NPU804
    if rank == 0:
        saver.save(sess, "./fm")
