"""Helpers of the adapter, and the loop on the device."""

import tensorflow as tf

from npu_bridge import device


def check_positive_integer(value, name):
    if not isinstance(value, int):
        raise TypeError(f"{name} must be int")
    if value <= 0:
        raise ValueError(f"{name} must be greater than 0")


def check_bool(value, name):
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be bool")


def set_iteration_per_loop(sess, train_op, iterations_per_loop=1):
    """An operation that stands for N runs of `train_op`; the session must have been given the same N."""
    check_positive_integer(iterations_per_loop, "iterations_per_loop")
    if not isinstance(train_op, tf.Operation):
        raise ValueError("train_op must be an Operation")
    if iterations_per_loop == 1:
        return train_op
    if iterations_per_loop != device.iterations_per_loop(sess.npu_config):
        device.abort("iterations_per_loop differs between the session and the graph")
    with sess.graph.as_default():
        return tf.group(train_op, name=device.ITERATION_OP)


class IterationPerLoop:
    """The same in two halves, for graphs that are finalized before the session exists."""

    def create_iteration_per_loop_var(self, train_op):
        return tf.group(train_op, name=device.ITERATION_OP)

    def load_iteration_per_loop_var(self, sess, iterations_per_loop=1):
        check_positive_integer(iterations_per_loop, "iterations_per_loop")
        if iterations_per_loop != device.iterations_per_loop(sess.npu_config):
            device.abort("iterations_per_loop differs between the session and the graph")
