"""Operators of the AI Core, computed by TensorFlow's."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from npu_bridge.estimator import npu_ops
from npu_bridge.estimator.npu.npu_unary_ops import prelu

__all__ = ["centralization", "dropout_v3", "dropout_v4", "fast_gelu", "fast_gelu_v2", "layer_norm", "prelu"]


def fast_gelu(x: Any, name: Any = None) -> Any:
    """The form with a sigmoid."""
    return tf.multiply(x, tf.sigmoid(1.702 * x), name=name)


def fast_gelu_v2(x: Any, name: Any = None) -> Any:
    return fast_gelu(x, name)


def centralization(x: Any, axes: Any, name: Any = None) -> Any:
    return tf.subtract(x, tf.reduce_mean(x, axes, keepdims=True), name=name)


def dropout_v3(x: Any, keep_prob: Any, noise_shape: Any = None, seed: Any = None, name: Any = None) -> Any:
    return npu_ops.dropout(x, keep_prob, noise_shape, seed, name)


def dropout_v4(
    x: Any,
    keep_prob: Any,
    noise_shape: Any = None,
    seed: Any = None,
    output_dtype: Any = tf.bool,
    name: Any = None,
) -> Any:
    return npu_ops.dropout(x, keep_prob, noise_shape, seed, name)


def layer_norm(
    x: Any,
    gamma: Any,
    beta: Any,
    begin_norm_axis: int = 0,
    begin_params_axis: int = 0,
    epsilon: float = 0.0000001,
    name: Any = None,
) -> Any:
    """The result, the mean and the variance."""
    axes = list(range(begin_norm_axis % len(x.shape), len(x.shape)))
    mean = tf.reduce_mean(x, axes, keepdims=True)
    variance = tf.reduce_mean(tf.math.squared_difference(x, mean), axes, keepdims=True)
    normed = (x - mean) * tf.math.rsqrt(variance + epsilon)
    return [tf.add(normed * gamma, beta, name=name), mean, variance]
