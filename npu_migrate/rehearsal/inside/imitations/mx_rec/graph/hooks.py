"""Hooks that cut a graph in front of its tables: here nothing is cut. REC-CODE:mx_rec/graph/hooks.py."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


class LookupSubgraphSlicerHook(tf.compat.v1.train.SessionRunHook):
    def __init__(self, op_types: Any) -> None:
        self.op_types = op_types


class OrphanLookupKeySlicerHook(tf.compat.v1.train.SessionRunHook):
    pass
