"""`NPUStrategy`: a strategy of one device."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


class NPUStrategy(tf.compat.v1.distribute.OneDeviceStrategy):
    def __init__(self, device: Any = "/cpu:0") -> None:
        super().__init__(device)
