"""DeepLab: the kind of loss scale is an argument, overflows are counted, the options fit together; silent."""

import argparse
import os

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

parser = argparse.ArgumentParser()
parser.add_argument("--loss_scale", type=int, default=0, help="0: dynamic")
parser.add_argument("--over_dump", type=str, default="False")
args = parser.parse_args()

image = tf.placeholder(tf.float32, [2, 8, 8, 3])
network = tf.layers.conv2d(image, 2, 3, padding="same")
loss = tf.reduce_mean(tf.square(network))
if args.loss_scale == 0:
    manager = ExponentialUpdateLossScaleManager(
        init_loss_scale=2**32, incr_every_n_steps=1000, decr_every_n_nan_or_inf=2, decr_ratio=0.5
    )
elif args.loss_scale >= 1:
    manager = FixedLossScaleManager(loss_scale=args.loss_scale)
opt = NPULossScaleOptimizer(tf.train.AdamOptimizer(1e-4), manager)
train_op = opt.minimize(loss, var_list=tf.trainable_variables(), colocate_gradients_with_ops=True)

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("allow_mix_precision")
if args.over_dump == "True":
    custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes(os.path.join(os.getcwd(), "overflow"))
    custom_op.parameter_map["enable_dump_debug"].b = True
    custom_op.parameter_map["dump_debug_mode"].s = tf.compat.as_bytes("all")
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(2):
        sess.run(train_op, feed_dict={image: np.ones([2, 8, 8, 3])})
