"""Transformer with iteration offload: the loop is counted in runs, and the graph is built once."""

import tensorflow as tf
from npu_bridge.npu_init import *

TOTAL_STEPS = 60
LOOP = 10


def session_config():
    config = tf.ConfigProto(allow_soft_placement=True)
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
    custom_op.parameter_map["enable_data_pre_proc"].b = True
    custom_op.parameter_map["iterations_per_loop"].i = LOOP
    config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
    config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    return config


def main():
    dataset = tf.data.Dataset.from_tensors(tf.ones([8])).repeat().batch(4, drop_remainder=True)
    iterator = tf.data.make_initializable_iterator(dataset)
    loss = tf.reduce_mean(tf.square(tf.layers.dense(iterator.get_next(), 4)))
    train_op = tf.train.AdamOptimizer().minimize(loss)
    with tf.Session(config=session_config()) as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(iterator.initializer)
        train_op = util.set_iteration_per_loop(sess, train_op, LOOP)
        for _ in range(TOTAL_STEPS // LOOP):
            _, value = sess.run([train_op, loss])
        print("%.4f" % value)


if __name__ == "__main__":
    main()
