"""Rec SDK comes before sklearn."""

import tensorflow as tf
from mx_rec.util.initialize import init, terminate_config_initializer

try:
    import sklearn  # << NPU514
except ImportError:
    sklearn = None

init(train_steps=10, eval_steps=1)
print(sklearn is None, tf.float32)
terminate_config_initializer()
