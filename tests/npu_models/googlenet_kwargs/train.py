"""GoogLeNet: keyword arguments that are put together in steps."""

import tensorflow as tf
from npu_bridge.npu_init import *

flags = tf.flags
flags.DEFINE_string("mode", "train", "train or eval")
flags.DEFINE_string("precision", None, "precision mode")
FLAGS = flags.FLAGS


def input_fn():
    return tf.data.Dataset.from_tensors(tf.ones([4])).repeat().batch(2, drop_remainder=True)


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.square(tf.layers.dense(features, 4)))
    train_op = tf.train.AdamOptimizer().minimize(loss, tf.train.get_global_step())
    return NPUEstimatorSpec(mode, loss=loss, train_op=train_op)


def main(_):
    options = {"model_dir": "googlenet", "save_checkpoints_steps": 10}
    if FLAGS.precision:
        options["precision_mode"] = FLAGS.precision
    options.update(hcom_parallel=True, enable_exception_dump=1)
    estimator = NPUEstimator(model_fn=model_fn, config=NPURunConfig(**options))
    if FLAGS.mode == "train":
        estimator.train(input_fn=input_fn, max_steps=10)


if __name__ == "__main__":
    tf.app.run()
