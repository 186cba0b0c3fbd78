"""U-Net: the dynamic manager is made where the updates of batch normalization are waited for."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

image = tf.placeholder(tf.float32, [2, 8, 8, 3])
network = tf.layers.batch_normalization(tf.layers.conv2d(image, 2, 3), training=True)
loss = tf.reduce_mean(tf.square(network))
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    manager = ExponentialUpdateLossScaleManager(init_loss_scale=2**16, incr_every_n_steps=1000)  # << NPU401
    optimizer = NPULossScaleOptimizer(tf.train.AdamOptimizer(), manager)
    train_op = optimizer.minimize(loss)

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(2):
        sess.run(train_op, feed_dict={image: np.ones([2, 8, 8, 3])})
