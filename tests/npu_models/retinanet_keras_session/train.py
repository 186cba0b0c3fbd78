"""RetinaNet: Keras with a session for the NPU, in a helper that closes it."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *
from tensorflow.python.keras import backend as K


def start():
    sess_config = tf.ConfigProto()
    custom_op = sess_config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
    sess_config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
    sess_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    sess = tf.Session(config=sess_config)
    K.set_session(sess)
    return sess


sess = start()
model = tf.keras.Sequential([tf.keras.layers.Dense(4, input_shape=(8,))])
model.compile(loss="mse", optimizer="adam")
model.fit(np.ones([8, 8]), np.zeros([8, 4]), batch_size=4, epochs=1, verbose=0)
sess.close()
