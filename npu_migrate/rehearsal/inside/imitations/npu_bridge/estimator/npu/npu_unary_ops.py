"""Activation functions, as the device's operators compute them."""

from __future__ import annotations

import math
from typing import Any

import tensorflow as tf


def gelu(x: Any, name: Any = None) -> Any:
    """The form with tanh."""
    inner = math.sqrt(2.0 / math.pi) * (x + 0.044715 * tf.pow(x, 3))
    return tf.multiply(0.5 * x, 1.0 + tf.tanh(inner), name=name)


def prelu(x: Any, weight: Any) -> Any:
    return tf.maximum(x, 0.0) + weight * tf.minimum(x, 0.0)
