"""SSD-MobileNet with the object detection API's runner: TensorFlow's Estimator, converted by npu_run_config_init."""

import tensorflow as tf
from npu_bridge.npu_init import *

NUM_STEPS = 20


def input_fn():
    dataset = tf.data.Dataset.from_tensors((tf.ones([6, 6, 3]), tf.ones([4])))
    return dataset.repeat().batch(4, drop_remainder=True)


def model_fn(features, labels, mode):
    predictions = tf.layers.dense(tf.layers.flatten(features), 4)
    loss = tf.losses.absolute_difference(labels, predictions)
    step = tf.train.get_or_create_global_step()
    train_op = tf.train.AdamOptimizer(0.001).minimize(loss, global_step=step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


session_config = tf.ConfigProto(allow_soft_placement=True)
run_config = tf.estimator.RunConfig(save_summary_steps=0)
run_config = run_config.replace(
    model_dir="ssd_mobilenet", session_config=session_config, save_checkpoints_steps=10
)
estimator = tf.estimator.Estimator(model_fn, config=npu_run_config_init(run_config=run_config))  # << NPU104
estimator.train(input_fn, max_steps=NUM_STEPS, hooks=npu_hooks_append())
