"""XLNet: TensorFlow's Estimator with a session config that dumps some steps."""

import tensorflow as tf
from npu_bridge.npu_init import *

import model_utils

tf.flags.DEFINE_string("model_dir", "xlnet", "where to write")


def input_fn():
    return tf.data.Dataset.from_tensors(tf.ones([8])).repeat().batch(4, drop_remainder=True)


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.square(tf.layers.dense(features, 4)))
    train_op = tf.train.AdamOptimizer().minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def main(_):
    config = model_utils.configure(tf.flags.FLAGS)
    tf.estimator.Estimator(model_fn, config=config).train(input_fn, max_steps=10)


if __name__ == "__main__":
    tf.app.run()
