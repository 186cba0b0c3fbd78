"""BERT's pre-training as it should be: the hook has a name, overflows are shared, the ranks start together."""

import tensorflow as tf
from npu_bridge.npu_init import *


class CountingHook(tf.train.SessionRunHook):
    count = 0

    def after_run(self, run_context, run_values):
        self.count += 1


def input_fn():
    return tf.data.Dataset.from_tensors(tf.ones([16])).repeat().batch(8, drop_remainder=True)


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.square(tf.layers.dense(features, 4)))
    optimizer = npu_distributed_optimizer_wrapper(tf.train.AdamOptimizer(1e-4))
    manager = ExponentialUpdateLossScaleManager(init_loss_scale=2**32, incr_every_n_steps=1000)
    optimizer = NPULossScaleOptimizer(optimizer, manager, is_distributed=True)
    train_op = optimizer.minimize(loss, global_step=tf.train.get_or_create_global_step())
    return NPUEstimatorSpec(mode=mode, loss=loss, train_op=train_op)


def main():
    run_config = NPURunConfig(model_dir="pretraining", save_checkpoints_steps=100)
    estimator = NPUEstimator(model_fn=model_fn, config=run_config)
    counter = CountingHook()
    hooks = [counter]
    estimator.train(input_fn, max_steps=20, hooks=npu_hooks_append(hooks_list=hooks))
    print("%d runs" % counter.count)


if __name__ == "__main__":
    main()
