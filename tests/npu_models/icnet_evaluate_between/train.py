"""ICNet: training and evaluation take turns with one NPUEstimator, at N = 1."""

import tensorflow as tf
from npu_bridge.npu_init import *

EPOCHS = 2


def input_fn(training):
    dataset = tf.data.Dataset.from_tensors((tf.ones([8]), 1.0))
    return (dataset.repeat() if training else dataset.repeat(4)).batch(2, drop_remainder=True)


def model_fn(features, labels, mode):
    output = tf.layers.dense(features, 1)
    loss = tf.losses.mean_squared_error(tf.reshape(labels, [-1, 1]), output)
    if mode == tf.estimator.ModeKeys.EVAL:
        return NPUEstimatorSpec(mode, loss=loss)
    train_op = tf.train.AdamOptimizer().minimize(loss, tf.train.get_global_step())
    return NPUEstimatorSpec(mode, loss=loss, train_op=train_op)


config = NPURunConfig(
    model_dir="icnet", save_checkpoints_steps=5, log_step_count_steps=1, save_summary_steps=5
)
estimator = NPUEstimator(model_fn, config=config)
for _ in range(EPOCHS):
    estimator.train(lambda: input_fn(True), steps=5)
    print(sorted(estimator.evaluate(lambda: input_fn(False), steps=1)))
