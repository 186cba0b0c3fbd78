"""PoseNet: a step counter that is not the global step is counted in a group; the optimizer counts the step."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

image = tf.placeholder(tf.float32, [2, 8])
loss = tf.reduce_mean(tf.square(tf.layers.dense(image, 2)))
step = tf.train.get_or_create_global_step()
batches = tf.Variable(0, trainable=False, name="batches")
optimizer = NPULossScaleOptimizer(tf.train.AdamOptimizer(), FixedLossScaleManager(loss_scale=256))
pairs = [(tf.clip_by_norm(g, 1.0), v) for g, v in optimizer.compute_gradients(loss)]
averages = tf.train.ExponentialMovingAverage(0.99, step)
update = optimizer.apply_gradients(pairs, global_step=step)
with tf.control_dependencies([update]):
    train_op = tf.group(averages.apply(tf.trainable_variables()), batches.assign_add(1))

config = tf.ConfigProto(allow_soft_placement=True)
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(2):
        sess.run(train_op, feed_dict={image: np.ones([2, 8])})
