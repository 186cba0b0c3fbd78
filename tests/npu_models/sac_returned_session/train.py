"""SAC: the session comes from a helper and is closed at the end."""

import numpy as np
import tensorflow as tf

from session import get_session

states = tf.placeholder(tf.float32, [4, 3])
loss = tf.reduce_mean(tf.square(tf.layers.dense(states, 2)))
train_op = tf.train.AdamOptimizer(3e-4).minimize(loss)
sess = get_session()
try:
    sess.run(tf.global_variables_initializer())
    for _ in range(2):
        sess.run(train_op, feed_dict={states: np.ones([4, 3])})
finally:
    sess.close()
