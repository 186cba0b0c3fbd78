"""Helpers of the adapter, and the loop on the device."""

from __future__ import annotations

from typing import Any

import tensorflow as tf
from npu_rehearsal.support.looping import create, load
from npu_rehearsal.watching import current


def check_positive_integer(value: Any, name: str) -> None:
    if not isinstance(value, int):
        raise TypeError(f"{name} must be int")
    if value <= 0:
        raise ValueError(f"{name} must be greater than 0")


def check_bool(value: Any, name: str) -> None:
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be bool")


def set_iteration_per_loop(sess: Any, train_op: Any, iterations_per_loop: int = 1) -> Any:
    """An operation that stands for N runs of `train_op`; the session must have been given the same N."""
    check_positive_integer(iterations_per_loop, "iterations_per_loop")
    if not isinstance(train_op, tf.Operation):
        raise ValueError("train_op must be an Operation")
    if iterations_per_loop == 1:
        return train_op
    load(current.watcher(), sess, iterations_per_loop)
    return create(current.watcher(), train_op)


class IterationPerLoop:
    """The same in two halves, for graphs that are finalized before the session exists."""

    def create_iteration_per_loop_var(self, train_op: Any) -> Any:
        return create(current.watcher(), train_op)

    def load_iteration_per_loop_var(self, sess: Any, iterations_per_loop: int = 1) -> None:
        check_positive_integer(iterations_per_loop, "iterations_per_loop")
        load(current.watcher(), sess, iterations_per_loop)


def set_graph_exec_config(fetch: Any, **config: Any) -> Any:
    return fetch


def keep_tensors_dtypes(graph: Any, input_tensors: Any) -> None:
    pass


def set_op_input_tensor_multi_dims(tensor: Any, input_shape: Any, input_dims: Any) -> None:
    pass
