"""ResNet on several devices: input_fn asks for its rank, which is late enough; a helper asks too early."""

import tensorflow as tf
from npu_bridge.npu_init import *


def input_fn():
    dataset = tf.data.Dataset.from_tensors(tf.ones([4])).repeat()
    dataset = dataset.shard(get_rank_size(), get_rank_id())
    return dataset.batch(2, drop_remainder=True)


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.square(tf.layers.dense(features, 2)))
    optimizer = npu_distributed_optimizer_wrapper(tf.train.AdamOptimizer())
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    return NPUEstimatorSpec(mode, loss=loss, train_op=train_op)


def learning_rate(base):
    return base * get_rank_size()  # << NPU801


def main(_):
    print("rate %.3f" % learning_rate(0.1))
    config = NPURunConfig(model_dir="ranks", save_checkpoints_steps=10)
    NPUEstimator(model_fn, config=config).train(input_fn, max_steps=4, hooks=npu_hooks_append())


if __name__ == "__main__":
    tf.app.run()
