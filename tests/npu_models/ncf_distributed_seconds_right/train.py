"""NCF on eight devices: the interval of checkpoints is a flag, in steps."""

import tensorflow as tf
from npu_bridge.npu_init import *

flags = tf.flags
flags.DEFINE_integer("save_checkpoints_steps", 600, "steps between checkpoints")
flags.DEFINE_bool("fp16", True, "loss scaling")
FLAGS = flags.FLAGS


def input_fn():
    return tf.data.Dataset.from_tensors(tf.ones([6])).repeat().batch(4, drop_remainder=True)


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.square(tf.layers.dense(features, 1)))
    optimizer = npu_distributed_optimizer_wrapper(tf.train.AdamOptimizer())
    train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    return NPUEstimatorSpec(mode=mode, loss=loss, train_op=train_op)


def main(_):
    config = NPURunConfig(
        model_dir="ncf",
        save_checkpoints_steps=FLAGS.save_checkpoints_steps,
        precision_mode="allow_mix_precision",
    )
    estimator = NPUEstimator(model_fn=model_fn, config=config)
    estimator.train(input_fn, max_steps=20, hooks=npu_hooks_append())


if __name__ == "__main__":
    tf.app.run()
