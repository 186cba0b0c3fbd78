"""DLRM: the step belongs to the optimizer; another counter, of epochs, is the script's own."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

dense = tf.placeholder(tf.float32, [4, 6])
loss = tf.reduce_mean(tf.square(tf.layers.dense(dense, 1)))
step = tf.train.get_or_create_global_step()
epoch = tf.get_variable("epoch", [], tf.int32, tf.zeros_initializer(), trainable=False)
next_epoch = tf.assign_add(epoch, 1)
optimizer = NPULossScaleOptimizer(tf.train.AdagradOptimizer(0.1), FixedLossScaleManager(loss_scale=128))
train_op = optimizer.minimize(loss, global_step=step)

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(2):
        for _ in range(3):
            sess.run(train_op, feed_dict={dense: np.ones([4, 6])})
        print(sess.run([next_epoch, step]))
