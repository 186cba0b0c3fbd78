"""The session of Keras; `fit` runs on the iterator's tensors."""

import tensorflow as tf
from npu_bridge.npu_init import *

data = (
    tf.data.Dataset.from_tensor_slices(([[1.0], [2.0]], [[2.0], [4.0]]))
    .repeat()
    .batch(2, drop_remainder=True)
)
iterator = tf.compat.v1.data.make_initializable_iterator(data)
x, y = iterator.get_next()
entry = tf.keras.Input(tensor=x)
network = tf.keras.Model(entry, tf.keras.layers.Dense(1)(entry))
network.compile("sgd", "mse", target_tensors=[y])
tf.keras.backend.get_session().run(iterator.initializer)
network.fit(epochs=1, steps_per_epoch=3, verbose=0)
