"""SqueezeNet: training and evaluation in sessions of two configs made by one function."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *


def get_config(training):
    config = tf.ConfigProto(allow_soft_placement=True)
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
    custom_op.parameter_map["graph_run_mode"].i = 1 if training else 0
    custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes(
        "allow_mix_precision" if training else "force_fp16"
    )
    config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
    config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    return config


image = tf.placeholder(tf.float32, [2, 8])
output = tf.layers.dense(image, 2)
train_op = tf.train.AdamOptimizer().minimize(tf.reduce_mean(tf.square(output)))
saver = tf.train.Saver()
feed = {image: np.ones([2, 8])}
with tf.Session(config=get_config(True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(2):
        sess.run(train_op, feed_dict=feed)
    path = saver.save(sess, "./squeezenet.ckpt")
with tf.Session(config=get_config(False)) as sess:
    saver.restore(sess, path)
    print(sess.run(output, feed_dict=feed).shape)
