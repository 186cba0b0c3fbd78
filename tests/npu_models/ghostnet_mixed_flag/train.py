"""GhostNet: mixed computing is a flag that is off, the loop is one that is 1; any of them may be changed."""

import tensorflow as tf
from npu_bridge.npu_init import *

flags = tf.flags
flags.DEFINE_bool("mix_compile_mode", False, "mixed computing")
flags.DEFINE_integer("iterations_per_loop", 1, "steps of one run")
flags.DEFINE_enum("aoe", "none", ["none", "1", "2", "9"], "what to tune")
FLAGS = flags.FLAGS


def input_fn():
    return tf.data.Dataset.from_tensors(tf.ones([4])).repeat().batch(2, drop_remainder=True)


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.square(tf.layers.dense(features, 2)))
    train_op = tf.train.AdamOptimizer().minimize(loss, tf.train.get_global_step())
    return NPUEstimatorSpec(mode, loss=loss, train_op=train_op)


def main(_):
    config = NPURunConfig(
        model_dir="ghostnet",
        mix_compile_mode=FLAGS.mix_compile_mode,
        iterations_per_loop=FLAGS.iterations_per_loop,
        aoe_mode=None if FLAGS.aoe == "none" else FLAGS.aoe,
        save_checkpoints_steps=7,
    )
    NPUEstimator(model_fn, config=config).train(input_fn, max_steps=7)


if __name__ == "__main__":
    tf.app.run()
