"""A training by an Estimator, then one by hand: what is told of the first says nothing of the second."""

import tempfile

import tensorflow as tf
from npu_bridge.npu_init import *


def input_fn():
    data = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0, 4.0]).repeat().batch(2, drop_remainder=True)
    return data.map(lambda x: ({"x": x}, x))


def model_fn(features, labels, mode):
    weight = tf.get_variable("weight", [], initializer=tf.ones_initializer())
    loss = tf.losses.mean_squared_error(labels, weight * features["x"])
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


settings = NPURunConfig(model_dir=tempfile.mkdtemp(), save_checkpoints_secs=60)
NPUEstimator(model_fn=model_fn, config=settings).train(input_fn, steps=2)

with tf.Graph().as_default():
    weight = tf.get_variable("weight", [], initializer=tf.ones_initializer())
    optimizer = npu_distributed_optimizer_wrapper(tf.train.GradientDescentOptimizer(0.1))
    step = optimizer.minimize(tf.square(weight - 3.0))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(step)
