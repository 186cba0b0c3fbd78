"""Helpers of the adapter, and the loop on the device."""

from __future__ import annotations

import os
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


def check_not_none(value: Any, name: str) -> None:
    if value is None:
        raise ValueError(f"{name} must not be None")


def check_nonnegative_integer(value: Any, name: str) -> None:
    if not isinstance(value, int):
        raise TypeError(f"{name} must be int")
    if value < 0:
        raise ValueError(f"{name} must be nonnegative")


def check_bool_type(value: Any, name: str) -> None:
    check_bool(value, name)


def get_ranksize() -> str:
    """A text, as in the real one."""
    return os.getenv("RANK_SIZE") or os.getenv("CM_WORKER_SIZE") or "1"


def create_or_get_var(var_name: str) -> Any:
    """A variable of the loop on the device, which is none of the model's."""
    collection = f"npu_runconfig_{var_name}"
    found = tf.compat.v1.get_collection(collection)
    if found:
        return found[0]
    with tf.compat.v1.variable_scope("npu_runconfig", reuse=tf.compat.v1.AUTO_REUSE):
        return tf.compat.v1.get_variable(
            var_name,
            [],
            tf.int64,
            tf.compat.v1.zeros_initializer(),
            trainable=False,
            collections=[collection, tf.compat.v1.GraphKeys.LOCAL_VARIABLES],
            use_resource=True,
        )


def variable_initializer_in_host(var_list: Any) -> Any:
    return tf.compat.v1.variables_initializer(var_list, name="var_in_host")


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
