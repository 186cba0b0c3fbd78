"""HRNet: a dump without a folder; ON is the number of NO_MEM_OPT, so the optimization is off."""

import numpy as np
import tensorflow as tf

from trainer import Trainer

image = tf.placeholder(tf.float32, [2, 8])
loss = tf.reduce_mean(tf.square(tf.layers.dense(image, 2)))
train_op = tf.train.AdamOptimizer().minimize(loss)
Trainer({"dump_step": "0|5"}).train(train_op, {image: np.ones([2, 8])})
