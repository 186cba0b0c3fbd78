"""3D-UNet: a helper chooses the input; the one-shot iterator is in the branch of a flag."""

import tensorflow as tf
from npu_bridge.npu_init import *

flags = tf.flags
flags.DEFINE_integer("iterations_per_loop", 5, "steps of one run")
FLAGS = flags.FLAGS


def input_fn():
    dataset = tf.data.Dataset.from_tensors(tf.ones([4, 4])).repeat().batch(2)
    return dataset.make_one_shot_iterator().get_next()  # << NPU101


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.square(tf.layers.dense(features, 4)))
    train_op = tf.train.AdamOptimizer().minimize(loss, tf.train.get_global_step())
    return NPUEstimatorSpec(mode, loss=loss, train_op=train_op)


def main(_):
    config = NPURunConfig(
        model_dir="unet3d",
        iterations_per_loop=FLAGS.iterations_per_loop,
        save_checkpoints_steps=50,
        enable_data_pre_proc=True,
    )
    NPUEstimator(model_fn, config=config).train(input_fn, steps=100)


if __name__ == "__main__":
    tf.app.run()
