"""VGG16: a dictionary of hyper-parameters; the total is no multiple of the loop, nothing says how often to save."""

import tensorflow as tf
from npu_bridge.npu_init import *

from hyper_param import params


def input_fn():
    return tf.data.Dataset.from_tensors((tf.ones([4, 4, 3]), 0)).repeat().batch(4, drop_remainder=True)


def model_fn(features, labels, mode, params):
    logits = tf.layers.dense(tf.layers.flatten(features), 3)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    step = tf.train.get_global_step()
    train_op = tf.train.GradientDescentOptimizer(params["lr"]).minimize(loss, global_step=step)
    return NPUEstimatorSpec(mode, loss=loss, train_op=train_op)


config = NPURunConfig(  # << NPU104
    model_dir=params["model_dir"],
    iterations_per_loop=params["iterations_per_loop"],
    save_checkpoints_secs=None,
    save_checkpoints_steps=0,
    precision_mode="allow_mix_precision",
)
estimator = NPUEstimator(model_fn, config=config, params=params)
estimator.train(input_fn, max_steps=params["max_train_steps"])  # << NPU202
