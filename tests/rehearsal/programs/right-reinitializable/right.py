"""Training and validation share an iterator; each initializer has a run."""

import tensorflow as tf
from npu_bridge.npu_init import *

training = tf.data.Dataset.from_tensor_slices([1.0, 2.0]).repeat().batch(2)
validation = tf.data.Dataset.from_tensor_slices([3.0, 4.0]).batch(2)
iterator = tf.data.Iterator.from_structure(tf.float32, [None])
x = iterator.get_next()
weight = tf.Variable(0.3, name="weight")
loss = tf.reduce_mean(tf.square(weight * x - x))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
start_training, start_validation = iterator.make_initializer(training), iterator.make_initializer(validation)

config = tf.ConfigProto(allow_soft_placement=True)
npu = config.graph_options.rewrite_options.custom_optimizers.add()
npu.name = "NpuOptimizer"
npu.parameter_map["enable_data_pre_proc"].b = True
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF

with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(2):
        sess.run(start_training)
        for _ in range(2):
            sess.run(step)
        sess.run(start_validation)
        print(sess.run(loss) < 100)
