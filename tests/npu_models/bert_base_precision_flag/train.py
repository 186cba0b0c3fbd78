"""BERT: precision and loss scaling belong together and depend on the same flag."""

import os

import tensorflow as tf
from npu_bridge.npu_init import *

flags = tf.flags
FLAGS = flags.FLAGS
flags.DEFINE_string("precision_mode", "allow_mix_precision", "how precise")
flags.DEFINE_bool("distributed", False, "several devices")
flags.DEFINE_integer("save_checkpoints_steps", 20, "when to save")


def input_fn():
    return tf.data.Dataset.from_tensors(tf.ones([8])).repeat().batch(4, drop_remainder=True)


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.square(tf.layers.dense(features, 4)))
    optimizer = tf.train.AdamOptimizer(1e-4)
    if FLAGS.distributed:
        optimizer = npu_distributed_optimizer_wrapper(optimizer)
    if FLAGS.precision_mode == "allow_mix_precision":
        manager = ExponentialUpdateLossScaleManager(init_loss_scale=2**32, incr_every_n_steps=1000)
        if int(os.getenv("RANK_SIZE", "1")) == 1:
            optimizer = NPULossScaleOptimizer(optimizer, manager)
        else:
            optimizer = NPULossScaleOptimizer(optimizer, manager, is_distributed=True)
    train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    return NPUEstimatorSpec(mode, loss=loss, train_op=train_op)


def main(_):
    config = NPURunConfig(
        model_dir="bert_base",
        precision_mode=FLAGS.precision_mode,
        save_checkpoints_steps=FLAGS.save_checkpoints_steps,
    )
    NPUEstimator(model_fn, config=config).train(input_fn, max_steps=20)


if __name__ == "__main__":
    tf.app.run()
