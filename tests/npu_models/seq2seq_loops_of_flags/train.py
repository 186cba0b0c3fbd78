"""Seq2seq: offload only where a flag is greater than 1, all places alike."""

import tensorflow as tf
from npu_bridge.npu_init import *

flags = tf.flags
flags.DEFINE_integer("loop", 1, "steps of one run")
flags.DEFINE_integer("steps", 20, "all steps")
FLAGS = flags.FLAGS


def main(_):
    dataset = tf.data.Dataset.from_tensors(tf.ones([8])).repeat().batch(4, drop_remainder=True)
    iterator = tf.data.make_initializable_iterator(dataset)
    loss = tf.reduce_mean(tf.square(tf.layers.dense(iterator.get_next(), 4)))
    train_op = tf.train.AdamOptimizer().minimize(loss)
    config = tf.ConfigProto()
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
    custom_op.parameter_map["enable_data_pre_proc"].b = True
    if FLAGS.loop > 1:
        custom_op.parameter_map["iterations_per_loop"].i = FLAGS.loop
    config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
    config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    with tf.Session(config=config) as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(iterator.initializer)
        if FLAGS.loop > 1:
            train_op = util.set_iteration_per_loop(sess, train_op, FLAGS.loop)
        for _ in range(FLAGS.steps // FLAGS.loop):
            sess.run(train_op)


if __name__ == "__main__":
    tf.app.run()
