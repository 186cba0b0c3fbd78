"""The NPU's operators, computed by TensorFlow's."""

from __future__ import annotations

from typing import Any

import tensorflow as tf
from npu_rehearsal.graphs.marks import marks_of


def initialize_system(name: str = "InitializeSystem") -> Any:
    """An operation that initializes the collective communication when it is run."""
    operation = tf.no_op(name=name)
    marks_of(operation.graph).communication.append(operation)
    return operation


def shutdown_system(name: str = "ShutdownSystem") -> Any:
    return tf.no_op(name=name)


def dropout(x: Any, keep_prob: float, noise_shape: Any = None, seed: Any = None, name: Any = None) -> Any:
    return tf.nn.dropout(x, rate=1.0 - keep_prob, noise_shape=noise_shape, seed=seed, name=name)
