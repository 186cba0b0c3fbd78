"""A group of the right name, but nobody loads its N."""

import tensorflow as tf
from npu_bridge.npu_init import *


def train_input():
    return tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0, 4.0]).repeat().batch(2, drop_remainder=True)


def model(features, labels, mode):
    weight = tf.get_variable("weight", initializer=0.3)
    loss = tf.reduce_mean(tf.square(weight * features - features))
    update = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_or_create_global_step())
    step = tf.group(update, name="IterationOp")
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step)


config = tf.ConfigProto(allow_soft_placement=True)
npu = config.graph_options.rewrite_options.custom_optimizers.add()
npu.name = "NpuOptimizer"
npu.parameter_map["enable_data_pre_proc"].b = True
npu.parameter_map["iterations_per_loop"].i = 4
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF

settings = tf.estimator.RunConfig(save_checkpoints_steps=8, session_config=config)
tf.estimator.Estimator(model, "model", settings).train(train_input, steps=8)  # << NPU209
