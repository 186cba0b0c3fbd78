"""Keras makes the iterator itself."""

import tensorflow as tf
from npu_bridge.npu_init import *

data = (
    tf.data.Dataset.from_tensor_slices(([[1.0], [2.0]], [[2.0], [4.0]]))
    .repeat()
    .batch(2, drop_remainder=True)
)
network = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))])
network.compile("sgd", "mse")
network.fit(data, epochs=2, steps_per_epoch=3, verbose=0)
print(network.evaluate(data, steps=2, verbose=0) >= 0)
