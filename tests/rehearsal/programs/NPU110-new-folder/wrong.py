"""The folder may have a checkpoint when the script starts again."""

import tensorflow as tf
from npu_bridge.npu_init import *


def train_input():
    return tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0, 4.0]).repeat().batch(2, drop_remainder=True)


def model(features, labels, mode):
    weight = tf.get_variable("weight", initializer=tf.zeros([]))
    side = tf.compat.v1.data.make_initializable_iterator(tf.data.Dataset.from_tensor_slices([1.0]).repeat())
    loss = tf.reduce_mean(tf.square(weight * features - features)) + 0.0 * side.get_next()
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_or_create_global_step())
    ready = tf.group(tf.global_variables_initializer(), side.initializer)  # << NPU110
    return tf.estimator.EstimatorSpec(
        mode, loss=loss, train_op=step, scaffold=tf.train.Scaffold(init_op=ready)
    )


trainer = tf.estimator.Estimator(model, "model", npu_run_config_init())
trainer.train(train_input, steps=3)
