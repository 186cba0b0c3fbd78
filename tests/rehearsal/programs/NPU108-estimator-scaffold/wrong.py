"""A model function brings its own local_init_op."""

import tensorflow as tf
from npu_bridge.npu_init import *


def train_input():
    return tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0, 4.0]).repeat().batch(2, drop_remainder=True)


def model(features, labels, mode):
    weight = tf.get_variable("weight", initializer=0.3)
    loss = tf.reduce_mean(tf.square(weight * features - features))
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_or_create_global_step())
    v = tf.get_variable("lv", initializer=2.0, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES])
    it = tf.compat.v1.data.make_initializable_iterator(tf.data.Dataset.from_tensor_slices([1.0]).repeat())
    local = tf.group(tf.local_variables_initializer(), it.initializer)  # << NPU108
    sc = tf.train.Scaffold(local_init_op=local)
    loss = loss + 0.0 * it.get_next()
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_or_create_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step, scaffold=sc)


tf.estimator.Estimator(model, "m", npu_run_config_init()).train(train_input, steps=3)
