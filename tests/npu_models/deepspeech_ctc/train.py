"""DeepSpeech: options of the session are attributes of an object of settings; a blank in one value."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *


class Settings(object):
    precision_mode = "allow_mix_precision "
    hidden = 8
    alphabet = 6


def make_config(settings):
    config = tf.ConfigProto(allow_soft_placement=True, log_device_placement=False)
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
    custom_op.parameter_map["mix_compile_mode"].b = True
    custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes(settings.precision_mode)  # << NPU604
    config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
    config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    return config


settings = Settings()
sound = tf.placeholder(tf.float32, [10, 2, 4])
logits = tf.layers.dense(sound, settings.alphabet)
labels = tf.SparseTensor([[0, 0], [1, 0]], [1, 2], [2, 1])
loss = tf.reduce_mean(tf.nn.ctc_loss(labels, logits, [10, 10]))
train_op = tf.train.AdamOptimizer().minimize(loss)
with tf.Session(config=make_config(settings)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(2):
        sess.run(train_op, feed_dict={sound: np.ones([10, 2, 4])})
