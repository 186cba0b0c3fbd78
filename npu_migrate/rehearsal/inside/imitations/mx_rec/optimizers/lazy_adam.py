"""Lazy Adam."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def create_hash_optimizer(learning_rate: float = 0.001, **others: Any) -> Any:
    return tf.compat.v1.train.AdamOptimizer(learning_rate)
