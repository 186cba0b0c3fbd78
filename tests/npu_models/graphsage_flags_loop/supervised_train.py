"""GraphSAGE: iteration offload behind a flag, the preprocessing stays on the host."""

import tensorflow as tf
from npu_bridge.npu_init import *

flags = tf.flags
flags.DEFINE_integer("iterations_per_loop", 10, "steps of one run")
flags.DEFINE_integer("max_total_steps", 50, "all steps")
FLAGS = flags.FLAGS


def main(_):
    dataset = tf.data.Dataset.from_tensors(tf.ones([8])).repeat().batch(4, drop_remainder=True)
    iterator = tf.data.make_initializable_iterator(dataset)
    loss = tf.reduce_mean(tf.square(tf.layers.dense(iterator.get_next(), 4)))
    opt_op = tf.train.AdamOptimizer().minimize(loss)

    config = tf.ConfigProto()
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
    custom_op.parameter_map["enable_data_pre_proc"].b = False  # << NPU105
    custom_op.parameter_map["iterations_per_loop"].i = FLAGS.iterations_per_loop
    config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
    sess = tf.Session(config=config)
    opt_op = util.set_iteration_per_loop(sess, opt_op, FLAGS.iterations_per_loop)
    sess.run(tf.global_variables_initializer())
    sess.run(iterator.initializer)
    for it in range(FLAGS.max_total_steps):  # << NPU208
        outs = sess.run([opt_op, loss])
        if it % 10 == 0:
            print("%d: %.4f" % (it, outs[1]))
    sess.close()


if __name__ == "__main__":
    tf.app.run()
