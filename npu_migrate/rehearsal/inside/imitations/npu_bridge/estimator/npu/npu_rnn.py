"""Recurrent layers of the device."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def npu_dynamic_rnn(cell: Any, inputs: Any, **kwargs: Any) -> Any:
    known = ("sequence_length", "initial_state", "dtype", "time_major", "scope")
    taken = {name: value for name, value in kwargs.items() if name in known}
    return tf.compat.v1.nn.dynamic_rnn(cell, inputs, **taken)
