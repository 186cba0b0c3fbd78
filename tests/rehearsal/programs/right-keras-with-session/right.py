"""Keras with a session of its own, validation, weights."""

import tensorflow as tf
from npu_bridge.npu_init import *

data = (
    tf.data.Dataset.from_tensor_slices(([[1.0], [2.0]], [[2.0], [4.0]]))
    .repeat()
    .batch(2, drop_remainder=True)
)
config = tf.ConfigProto()
n = config.graph_options.rewrite_options.custom_optimizers.add()
n.name = "NpuOptimizer"
n.parameter_map["enable_data_pre_proc"].b = True
tf.keras.backend.set_session(tf.Session(config=config))
m = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(4, input_shape=(1,)),
        tf.keras.layers.BatchNormalization(),
        tf.keras.layers.Dropout(0.5),
        tf.keras.layers.Dense(1),
    ]
)
m.compile(tf.keras.optimizers.Adam(0.1), "mse", metrics=["mae"])
m.fit(data, epochs=2, steps_per_epoch=2, validation_data=data, validation_steps=1, verbose=0)
m.save_weights("w.h5")
m.load_weights("w.h5")
print(m.predict([[1.0]]).shape)
