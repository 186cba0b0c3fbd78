"""The NPU's operators, computed by TensorFlow's."""

from __future__ import annotations

from typing import Any

import tensorflow as tf
from npu_rehearsal.graphs.marks import marks_of


def NPUInit(name: Any = None) -> Any:
    """An operation that initializes the collective communication when it is run."""
    operation = tf.no_op(name=name or "InitializeSystem")
    marks_of(operation.graph).communication.append(operation)
    return operation


def NPUShutdown(name: Any = None) -> Any:
    return tf.no_op(name=name or "ShutdownSystem")


def initialize_system(name: Any = None) -> Any:
    return NPUInit(name)


def shutdown_system(name: Any = None) -> Any:
    return NPUShutdown(name)


def outfeed_enqueue_op(channel_name: str, inputs: Any, name: Any = None) -> Any:
    """An operation that needs `inputs`, which the real one sends to the host."""
    return tf.group(*inputs, name=name or "OutfeedEnqueueOp")


def outfeed_dequeue_op(channel_name: str, output_types: Any, output_shapes: Any, name: Any = None) -> Any:
    """What the host gets: zeros here. A run of it stays on the host as a whole (P2)."""
    shapes = [[size or 1 for size in tf.TensorShape(one).as_list()] for one in output_shapes]
    made = [tf.zeros(shape, kind) for shape, kind in zip(shapes, output_types)]
    with tf.control_dependencies(made):
        made = [tf.identity(one, name=name or "OutfeedDequeueOp") for one in made]
    marks_of(tf.compat.v1.get_default_graph()).outfeeds.extend(one.op for one in made)
    return made


def stop_outfeed_dequeue_op(channel_name: str, name: Any = None) -> Any:
    return tf.no_op(name=name or "StopOutfeedDequeueOp")


def LARS(
    inputs_w: Any,
    inputs_g: Any,
    weight_decay: Any,
    hyperpara: float = 0.001,
    epsilon: float = 0.00001,
    name: Any = None,
) -> Any:
    """Gradients that are scaled by the ratio of the norms, for lists of weights and gradients."""
    return [
        LARSV2(weight, gradient, weight_decay, 1.0, hyperpara, epsilon)
        for weight, gradient in zip(inputs_w, inputs_g)
    ]


def LARSV2(
    input_weight: Any,
    input_grad: Any,
    weight_decay: Any,
    learning_rate: Any,
    hyperpara: float = 0.001,
    epsilon: float = 0.00001,
    use_clip: bool = False,
    name: Any = None,
) -> Any:
    """A gradient that is scaled by the ratio of the norms of its weight and of itself."""
    weight, gradient = tf.norm(input_weight), tf.norm(input_grad)
    ratio = hyperpara * weight / (gradient + weight_decay * weight + epsilon)
    if use_clip:
        ratio = tf.clip_by_value(ratio / learning_rate, 0.0, 1.0)
    return tf.multiply(input_grad + weight_decay * input_weight, ratio, name=name)


def dropout(x: Any, keep_prob: float, noise_shape: Any = None, seed: Any = None, name: Any = None) -> Any:
    return tf.nn.dropout(x, rate=1.0 - keep_prob, noise_shape=noise_shape, seed=seed, name=name)
