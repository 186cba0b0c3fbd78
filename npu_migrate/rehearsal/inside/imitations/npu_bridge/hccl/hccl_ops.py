"""The operators of one device that is alone: what it sends is what it gets."""

from __future__ import annotations

from typing import Any

import tensorflow as tf
from npu_rehearsal.graphs.marks import mark_collective

WORLD = "hccl_world_group"


def allreduce(tensor: Any, reduction: str, fusion: int = 1, fusion_id: int = -1, group: str = WORLD) -> Any:
    return mark_collective(tf.identity(tensor))


def allgather(tensor: Any, rank_size: int, group: str = WORLD, fusion: int = 0, fusion_id: int = -1) -> Any:
    return mark_collective(tf.concat([tensor] * rank_size, 0))


def broadcast(tensor: Any, root_rank: int, fusion: int = 2, fusion_id: int = 0, group: str = WORLD) -> Any:
    return [mark_collective(tf.identity(one)) for one in tensor]


def reduce(
    tensor: Any, reduction: str, root_rank: int, fusion: int = 0, fusion_id: int = -1, group: str = WORLD
) -> Any:
    return mark_collective(tf.identity(tensor))


def reduce_scatter(
    tensor: Any, reduction: str, rank_size: int, group: str = WORLD, fusion: int = 0, fusion_id: int = -1
) -> Any:
    """The part of one of `rank_size` ranks that all have the same."""
    return mark_collective(tf.split(tensor, rank_size, 0)[0])


def send(tensor: Any, sr_tag: int, dest_rank: int, group: str = WORLD) -> Any:
    return mark_collective(tf.identity(tensor)).op


def receive(shape: Any, data_type: Any, sr_tag: int, src_rank: int, group: str = WORLD) -> Any:
    """Nobody sends, so it is zeros."""
    return mark_collective(tf.zeros(shape, data_type))


def all_to_all_v(
    send_data: Any,
    send_counts: Any,
    send_displacements: Any,
    recv_counts: Any,
    recv_displacements: Any,
    group: str = WORLD,
) -> Any:
    return mark_collective(tf.identity(send_data))


def all_to_all_v_c(
    send_data: Any,
    send_count_matrix: Any,
    rank: Any,
    fusion: int = 0,
    fusion_id: int = -1,
    group: str = WORLD,
) -> Any:
    return mark_collective(tf.identity(send_data))
