"""The saver of sharded weights, which on one device is TensorFlow's."""

from __future__ import annotations

import tensorflow as tf


class NPUSaver(tf.compat.v1.train.Saver):
    pass
