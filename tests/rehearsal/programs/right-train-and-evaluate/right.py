"""Train and evaluate in turns, summaries and all."""

import tensorflow as tf
from npu_bridge.npu_init import *


def train_input():
    return tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0, 4.0]).repeat().batch(2, drop_remainder=True)


def model(features, labels, mode):
    weight = tf.get_variable("weight", initializer=0.3)
    loss = tf.reduce_mean(tf.square(weight * features - features))
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_or_create_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step)


settings = NPURunConfig(save_checkpoints_steps=4)
estimator = NPUEstimator(model, "model", settings)
train = tf.estimator.TrainSpec(train_input, max_steps=8)
evaluate = tf.estimator.EvalSpec(train_input, steps=2, start_delay_secs=0, throttle_secs=0)
tf.estimator.train_and_evaluate(estimator, train, evaluate)
