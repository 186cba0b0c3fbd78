"""Without the NPU's packages nothing is judged."""

import tensorflow as tf

data = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0, 4.0]).repeat().batch(2, drop_remainder=True)
iterator = tf.compat.v1.data.make_initializable_iterator(data)
x = iterator.get_next()
weight = tf.Variable(0.3, name="weight")
loss = tf.reduce_mean(tf.square(weight * x - x))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), iterator.initializer])
    sess.run(step)
