"""Wide & Deep: the step is counted in the same run as an update that may be skipped."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

features = tf.placeholder(tf.float32, [4, 10])
loss = tf.reduce_mean(tf.square(tf.layers.dense(features, 1)))
global_step = tf.train.get_or_create_global_step()
manager = ExponentialUpdateLossScaleManager(init_loss_scale=2**16, incr_every_n_steps=500)
optimizer = NPULossScaleOptimizer(tf.train.AdamOptimizer(), manager)
gradients = optimizer.compute_gradients(loss)
train_op = optimizer.apply_gradients(gradients)
count = tf.assign_add(global_step, 1)  # << NPU406

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        sess.run([train_op, count], feed_dict={features: np.ones([4, 10])})
