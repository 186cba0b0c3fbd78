"""Fits a line to noisy points with TensorFlow 1.15."""

import tensorflow as tf

from input_pipeline import training_batches

tf.app.flags.DEFINE_integer("steps", 200, "Number of training steps.")
tf.app.flags.DEFINE_integer("batch_size", 32, "Number of points per step.")
tf.app.flags.DEFINE_float("learning_rate", 0.2, "Step size of gradient descent.")
FLAGS = tf.app.flags.FLAGS


def main(_):
    x, y = training_batches(FLAGS.batch_size)
    slope = tf.get_variable("slope", [], initializer=tf.zeros_initializer())
    offset = tf.get_variable("offset", [], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(slope * x + offset - y))
    train_op = tf.train.GradientDescentOptimizer(FLAGS.learning_rate).minimize(loss)

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(1, FLAGS.steps + 1):
            sess.run(train_op)
            if step % 50 == 0:
                print("step %d: loss %.4f" % (step, sess.run(loss)))
        print("y = %.3f x + %.3f" % tuple(sess.run([slope, offset])))


if __name__ == "__main__":
    tf.app.run(main)
