"""Operators of the device's own CPU that TensorFlow has the like of."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def stateless_dropout(x: Any, noise_shape: Any, p: Any, seed: Any, offset: Any) -> Any:
    return tf.nn.dropout(x, rate=p, noise_shape=noise_shape)
