"""The variables of a model, and those of its tables."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from mx_rec.core.embedding import TABLES


def get_dense_and_sparse_variable() -> Any:
    """Both as lists; here as in the real one, tables are no trainable variables of TensorFlow."""
    sparse = tf.compat.v1.get_collection(TABLES)
    names = {variable.name for variable in sparse}
    return [one for one in tf.compat.v1.trainable_variables() if one.name not in names], sparse
