"""sklearn comes first."""

import tensorflow as tf

try:
    import sklearn
except ImportError:
    sklearn = None
from mx_rec.util.initialize import init, terminate_config_initializer

init(train_steps=10, eval_steps=1)
print(sklearn is None, tf.float32)
terminate_config_initializer()
