"""BERT's pre-training on several devices: the speed is read from the last hook of a longer list."""

import time

import tensorflow as tf
from npu_bridge.npu_init import *


class LogTrainRunHook(tf.train.SessionRunHook):
    def __init__(self, batch_size):
        self.batch_size = batch_size
        self.total_time = 0.0
        self.count = 0

    def before_run(self, run_context):
        self.started = time.time()

    def after_run(self, run_context, run_values):
        self.total_time += time.time() - self.started
        self.count += 1


def input_fn():
    return tf.data.Dataset.from_tensors(tf.ones([16])).repeat().batch(8, drop_remainder=True)


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.square(tf.layers.dense(features, 4)))
    optimizer = npu_distributed_optimizer_wrapper(tf.train.AdamOptimizer(1e-4))
    manager = ExponentialUpdateLossScaleManager(init_loss_scale=2**32, incr_every_n_steps=1000)
    optimizer = NPULossScaleOptimizer(optimizer, manager)  # << NPU407
    train_op = optimizer.minimize(loss, global_step=tf.train.get_or_create_global_step())
    return NPUEstimatorSpec(mode=mode, loss=loss, train_op=train_op)


def main():
    run_config = NPURunConfig(model_dir="pretraining", save_checkpoints_steps=100)
    estimator = NPUEstimator(model_fn=model_fn, config=run_config)
    training_hooks = []
    training_hooks.append(LogTrainRunHook(8))
    estimator.train(input_fn, max_steps=20, hooks=npu_hooks_append(hooks_list=training_hooks))
    elapsed = training_hooks[-1].total_time  # << NPU310
    print("%.1f steps per second" % (training_hooks[-1].count / elapsed))  # << NPU310


if __name__ == "__main__":
    main()
