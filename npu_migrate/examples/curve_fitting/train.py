"""Fits a sine curve with a small network. Ported to the NPU by hand."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

tf.compat.v1.logging.set_verbosity("ERROR")


def training_data(batch_size):
    """An iterator over batches of points on the curve."""
    x = np.random.RandomState(1).uniform(-2.0, 2.0, [512, 1]).astype(np.float32)
    dataset = tf.data.Dataset.from_tensor_slices((x, np.sin(2.0 * x)))
    dataset = dataset.shuffle(512, seed=2).repeat().batch(batch_size)
    return dataset.make_initializable_iterator()


def dense(values, name, inputs, outputs):
    """A layer of a network."""
    initial = tf.random_normal_initializer(stddev=inputs ** -0.5, seed=inputs)
    weights = tf.get_variable(name, [inputs, outputs], initializer=initial)
    return tf.matmul(values, weights)


iterator = training_data(batch_size=64)
x, y = iterator.get_next()
hidden = tf.nn.relu(dense(tf.concat([x, tf.ones_like(x)], axis=1), "hidden", 2, 32))
loss = tf.reduce_mean(tf.square(dense(hidden, "output", 32, 1) - y))
train_op = tf.train.AdamOptimizer(0.02).minimize(loss)

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_data_pre_proc"].b = True

with tf.Session(config=npu_config_proto(config_proto=config)) as sess:
    sess.run([tf.global_variables_initializer(), iterator.initializer])
    for step in range(1, 301):
        value, _ = sess.run([loss, train_op])
        if step % 50 == 0:
            print("step %d: loss %.4f" % (step, value))
