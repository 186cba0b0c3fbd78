"""InfoGAN: one optimizer for the sum of the losses, its update fetched beside summaries."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

noise = tf.placeholder(tf.float32, [2, 8])
fake = tf.layers.dense(noise, 8)
score = tf.layers.dense(fake, 1)
loss = tf.add_n([tf.reduce_mean(score), tf.reduce_mean(tf.square(fake))])
is_bad = tf.reduce_any(tf.is_nan(noise))  # << NPU724
tf.summary.scalar("loss", loss)
summary = tf.summary.merge_all()
optimizer = NPULossScaleOptimizer(tf.train.AdamOptimizer(), FixedLossScaleManager(loss_scale=64))
train_op = optimizer.minimize(loss)
config = npu_config_proto()
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(2):
        sess.run([train_op, summary, is_bad], feed_dict={noise: np.ones([2, 8])})
