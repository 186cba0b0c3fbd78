"""Callbacks for Keras."""

from __future__ import annotations

import tensorflow as tf


class NPUBroadcastGlobalVariablesCallback(tf.keras.callbacks.Callback):
    def __init__(self, root_rank: int) -> None:
        super().__init__()
        self.root_rank = root_rank
