"""InceptionV3 as the vendor's converter leaves it: Keras, callbacks, and the last of them read afterwards."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *


class History(tf.keras.callbacks.Callback):
    def __init__(self):
        super(History, self).__init__()
        self.losses = []

    def on_batch_end(self, batch, logs=None):
        self.losses.append(1)


npu_keras_sess = set_keras_session_npu_config()
model = tf.keras.Sequential([tf.keras.layers.Dense(4, input_shape=(8,))])
model.compile(loss="mse", optimizer=npu_keras_optimizer(tf.keras.optimizers.SGD(0.1)))
callbacks = [History()]
model.fit(
    np.ones([8, 8]),
    np.zeros([8, 4]),
    batch_size=4,
    verbose=0,
    callbacks=npu_callbacks_append(callbacks_list=callbacks),
)
print(len(callbacks[-1].losses))  # << NPU310
close_session(npu_keras_sess)
