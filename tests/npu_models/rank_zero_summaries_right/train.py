"""CTPN on several devices: all ranks run the summaries; the first one shows them, and saves."""

import os

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

is_first = int(os.environ.get("RANK_ID", "0")) == 0
image = tf.placeholder(tf.float32, [2, 8])
loss = tf.reduce_mean(tf.square(tf.layers.dense(image, 2)))
train_op = npu_distributed_optimizer_wrapper(tf.train.AdamOptimizer()).minimize(loss)
tf.summary.scalar("loss", loss)
summary_op = tf.summary.merge_all()
saver = tf.train.Saver()
with tf.Session(config=npu_config_proto()) as sess:
    sess.run(tf.global_variables_initializer())
    feed = {image: np.ones([2, 8])}
    for step in range(4):
        _, summary = sess.run([train_op, summary_op], feed_dict=feed)
        if is_first and step % 2 == 0:
            print(len(summary) > 0)
    if is_first:
        saver.save(sess, "./ctpn")
