"""ESRGAN: only the generator's loss is scaled; both updates are in one run."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

images = tf.placeholder(tf.float32, [2, 8])
fake = tf.layers.dense(images, 8, name="g")
score = tf.reduce_mean(tf.layers.dense(fake, 1, name="d"))
manager = ExponentialUpdateLossScaleManager(init_loss_scale=2**16, incr_every_n_steps=1000)
d_op = tf.train.AdamOptimizer().minimize(score, var_list=tf.trainable_variables("d"))
g_op = NPULossScaleOptimizer(tf.train.AdamOptimizer(), manager).minimize(
    -score, var_list=tf.trainable_variables("g")
)
with tf.Session(config=npu_config_proto(config_proto=tf.ConfigProto())) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(2):
        sess.run([d_op, g_op], feed_dict={images: np.ones([2, 8])})
