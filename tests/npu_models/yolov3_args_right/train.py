"""YOLOv3: settings in a module, the session in a with block."""

import tensorflow as tf
from npu_bridge.npu_init import *

import args_single as args

dataset = (
    tf.data.Dataset.from_tensors(tf.ones([8, 8, 3])).repeat().batch(args.batch_size, drop_remainder=True)
)
iterator = tf.data.Iterator.from_structure(dataset.output_types, dataset.output_shapes)
start = iterator.make_initializer(dataset)
features = tf.layers.conv2d(iterator.get_next(), 8, 3)
loss = tf.reduce_mean(tf.abs(features))
train_op = tf.train.AdamOptimizer(1e-4).minimize(loss)

config = tf.ConfigProto(allow_soft_placement=True)
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["use_off_line"].b = True
custom_op.parameter_map["enable_data_pre_proc"].b = True
custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes(args.precision)
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF

with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(start)
    for step in range(args.steps):
        sess.run(train_op)
        if step % args.log_every == 0:
            print("%.4f" % sess.run(loss))
