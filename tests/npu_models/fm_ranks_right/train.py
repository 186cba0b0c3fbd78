"""FM on several devices as it should be: the NPU is started first, and all ranks run the same."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF

npu_sess, npu_shutdown = init_resource(config=config)
rank = get_rank_id()
features = tf.placeholder(tf.float32, [4, 6])
loss = tf.reduce_mean(tf.square(tf.layers.dense(features, 1)))
optimizer = npu_distributed_optimizer_wrapper(tf.train.AdamOptimizer())
train_op = optimizer.minimize(loss)
broadcast = hccl_ops.broadcast(tf.trainable_variables(), 0)

with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(broadcast)
    for step in range(4):
        _, value = sess.run([train_op, loss], feed_dict={features: np.ones([4, 6])})
        if rank == 0:
            print("%.4f" % value)
shutdown_resource(npu_sess, npu_shutdown)
close_session(npu_sess)
