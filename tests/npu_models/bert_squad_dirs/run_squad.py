"""BERT on SQuAD: the Estimator keeps its checkpoints somewhere else than its configuration says."""

import tensorflow as tf
from npu_bridge.npu_init import *


def input_fn():
    return tf.data.Dataset.from_tensors((tf.ones([8]), 1)).repeat().batch(4, drop_remainder=True)


def model_fn(features, labels, mode):
    logits = tf.layers.dense(features, 8)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer().minimize(loss, tf.train.get_global_step())
    return NPUEstimatorSpec(mode, loss=loss, train_op=train_op)


run_config = NPURunConfig(
    model_dir="squad_base", save_checkpoints_steps=50, precision_mode="allow_mix_precision"
)
estimator = NPUEstimator(model_fn=model_fn, model_dir="squad_large", config=run_config)  # << NPU613
estimator.train(input_fn, max_steps=10)
