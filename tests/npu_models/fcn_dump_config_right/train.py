"""FCN: a DumpConfig that a helper makes."""

import tensorflow as tf
from npu_bridge.npu_init import *


def dump(path):
    return DumpConfig(
        enable_dump=True,
        dump_path=path,
        dump_step="0|2",
        dump_mode="output",
    )


def input_fn():
    return tf.data.Dataset.from_tensors(tf.ones([4])).repeat().batch(2, drop_remainder=True)


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.square(tf.layers.dense(features, 2)))
    train_op = tf.train.AdamOptimizer().minimize(loss, tf.train.get_global_step())
    return NPUEstimatorSpec(mode, loss=loss, train_op=train_op)


config = NPURunConfig(model_dir="fcn", save_checkpoints_steps=10, dump_config=dump("/tmp/dump"))
NPUEstimator(model_fn, config=config).train(input_fn, max_steps=4)
