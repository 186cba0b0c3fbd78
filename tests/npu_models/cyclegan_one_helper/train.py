"""CycleGAN: one helper makes the two updates, and one train_op groups them."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

from losses import make_optimizer

images = tf.placeholder(tf.float32, [2, 8])
there = tf.layers.dense(images, 8, name="there")
back = tf.layers.dense(there, 8, name="back")
loss = tf.reduce_mean(tf.abs(back - images))
there_op = make_optimizer(loss, tf.trainable_variables("there"), "Adam_there")
back_op = make_optimizer(loss, tf.trainable_variables("back"), "Adam_back")
with tf.control_dependencies([there_op, back_op]):
    train_op = tf.no_op(name="optimizers")

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(train_op, feed_dict={images: np.ones([2, 8])})  # << NPU408
