"""StarGAN: the script tests its gradients for overflow itself."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

images = tf.placeholder(tf.float32, [2, 8])
loss = tf.reduce_mean(tf.square(tf.layers.dense(images, 8)))
optimizer = tf.train.AdamOptimizer(1e-3)
pairs = optimizer.compute_gradients(loss)
checks = [tf.reduce_all(tf.is_finite(grad)) for grad, _ in pairs]  # << NPU405
train_op = tf.cond(tf.reduce_all(checks), lambda: optimizer.apply_gradients(pairs), tf.no_op)

with tf.Session(config=npu_config_proto(config_proto=tf.ConfigProto(allow_soft_placement=True))) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(2):
        sess.run(train_op, feed_dict={images: np.ones([2, 8])})
