"""Tables of embeddings, and looking up in them."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

ROWS = 1024
"""More keys share a row."""

TABLES = "npu_rehearsal_tables"
"""The collection of the variables of tables."""


class Table:
    def __init__(self, name: str, dim: int, initializer: Any, rows: int) -> None:
        self.name = name
        self.rows = rows
        with tf.compat.v1.variable_scope(tf.compat.v1.get_variable_scope(), reuse=tf.compat.v1.AUTO_REUSE):
            self.variable = tf.compat.v1.get_variable(name, [rows, dim], tf.float32, initializer)
        if all(one is not self.variable for one in tf.compat.v1.get_collection(TABLES)):
            tf.compat.v1.add_to_collection(TABLES, self.variable)


def create_table(
    key_dtype: Any = None, dim: Any = 8, name: str = "table", emb_initializer: Any = None, **others: Any
) -> Any:
    size = int(others.get("device_vocabulary_size", 1))
    width = int(dim) if isinstance(dim, int) else int(tf.TensorShape(dim).as_list()[0])
    return Table(name, width, emb_initializer, max(1, min(size, ROWS)))


def sparse_lookup(hashtable: Any, ids: Any, send_count: Any = None, **others: Any) -> Any:
    keys = ids if isinstance(ids, tf.Tensor) else others["batch"][ids.name]
    rows = tf.compat.v1.mod(tf.cast(keys, tf.int64), hashtable.rows)
    return tf.nn.embedding_lookup(hashtable.variable, rows, name=others.get("name"))
