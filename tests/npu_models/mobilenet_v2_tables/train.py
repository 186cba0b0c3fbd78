"""MobileNetV2: all options in tables, one for each field."""

import tensorflow as tf
from npu_bridge.npu_init import *

from npu_options import session_config

dataset = tf.data.Dataset.from_tensors(tf.ones([6, 6, 3])).repeat().batch(4, drop_remainder=True)
iterator = tf.data.make_initializable_iterator(dataset)
net = tf.layers.conv2d(iterator.get_next(), 4, 3)
loss = tf.reduce_mean(tf.square(net))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

with tf.Session(config=session_config()) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(iterator.initializer)
    for _ in range(5):
        sess.run(train_op)
