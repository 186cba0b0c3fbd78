import tensorflow as tf
from npu_bridge.estimator import npu_ops


def attention(x, rate, training):
    weights = tf.nn.softmax(tf.matmul(x, x, transpose_b=True))
    if training:
        weights = npu_ops.dropout(weights, keep_prob=1.0 - rate)
    return tf.matmul(weights, x)


def feed_forward(x, rate, training):
    hidden = tf.layers.dense(x, 16, activation=tf.nn.relu)
    if training:
        hidden = npu_ops.dropout(hidden, 1.0 - rate)
    return tf.layers.dense(hidden, 8)
