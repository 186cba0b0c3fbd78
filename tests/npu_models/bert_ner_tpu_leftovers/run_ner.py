"""BERT for names: TPUEstimator's arguments stayed when NPUEstimator came."""

import tensorflow as tf
from npu_bridge.npu_init import *

flags = tf.flags
FLAGS = flags.FLAGS
flags.DEFINE_bool("use_tpu", False, "whether to use TPUs")
flags.DEFINE_integer("train_batch_size", 4, "batch size")


def input_fn(params):
    return tf.data.Dataset.from_tensors((tf.ones([8]), 1)).repeat().batch(4, drop_remainder=True)


def model_fn(features, labels, mode, params):
    logits = tf.layers.dense(features, 9)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer().minimize(loss, tf.train.get_global_step())
    return NPUEstimatorSpec(mode, loss=loss, train_op=train_op)


run_config = NPURunConfig(model_dir="ner", save_checkpoints_steps=10)
estimator = NPUEstimator(
    use_tpu=FLAGS.use_tpu,  # << NPU614
    model_fn=model_fn,
    config=run_config,
    params={"size": 8},
    train_batch_size=FLAGS.train_batch_size,  # << NPU614
)
estimator.train(input_fn, max_steps=10)
