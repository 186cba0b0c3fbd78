"""The operators of one device that is alone: what it sends is what it gets."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def allreduce(tensor: Any, reduction: str, fusion: int = 1, fusion_id: int = -1, group: str = "") -> Any:
    return tf.identity(tensor)


def allgather(tensor: Any, rank_size: int, group: str = "") -> Any:
    return tf.concat([tensor] * rank_size, 0)


def broadcast(tensor: Any, root_rank: int, fusion: int = 2, fusion_id: int = 0, group: str = "") -> Any:
    return [tf.identity(one) for one in tensor]


def reduce_scatter(tensor: Any, reduction: str, rank_size: int, group: str = "") -> Any:
    return tf.identity(tensor)
