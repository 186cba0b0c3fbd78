"""ResNeXt-50: one flag is the loop size, the interval of logs and part of the schedule."""

import os

import tensorflow as tf
from npu_bridge.npu_init import *

flags = tf.flags
flags.DEFINE_integer("iterations_per_loop", 20, "steps of one session run")
flags.DEFINE_integer("loss_scale", 1024, "static loss scale")
FLAGS = flags.FLAGS


def input_fn():
    dataset = tf.data.Dataset.from_tensors((tf.ones([4, 4, 3]), 1))
    return dataset.repeat().batch(8, drop_remainder=True).prefetch(2)


def model_fn(features, labels, mode):
    logits = tf.layers.dense(tf.layers.flatten(features), 10)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    opt = NPUDistributedOptimizer(tf.train.MomentumOptimizer(0.1, 0.9))
    manager = FixedLossScaleManager(loss_scale=FLAGS.loss_scale)
    rank_size = int(os.getenv("RANK_SIZE", "1"))
    if rank_size > 1:
        opt = NPULossScaleOptimizer(opt, manager, is_distributed=True)
    else:
        opt = NPULossScaleOptimizer(opt, manager, is_distributed=False)
    train_op = opt.minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def main(_):
    run_config = NPURunConfig(  # << NPU104
        model_dir="resnext50",
        session_config=tf.ConfigProto(allow_soft_placement=True),
        save_checkpoints_steps=50,  # << NPU203
        iterations_per_loop=FLAGS.iterations_per_loop,
        log_step_count_steps=FLAGS.iterations_per_loop,  # << NPU204
        precision_mode="allow_mix_precision",
    )
    classifier = NPUEstimator(model_fn=model_fn, config=run_config)
    classifier.train(input_fn=input_fn, max_steps=100)


if __name__ == "__main__":
    tf.app.run()
