"""Ranks and groups. Who asks before the communication is initialized gets an error on the device."""

from __future__ import annotations

import os
from typing import Any

from npu_rehearsal.judging import communication
from npu_rehearsal.watching import current

WORLD = "hccl_world_group"


def get_rank_size(group: str = WORLD) -> int:
    _asked("get_rank_size")
    return int(os.getenv("RANK_SIZE", "1"))


def get_local_rank_size(group: str = WORLD) -> int:
    _asked("get_local_rank_size")
    return int(os.getenv("RANK_SIZE", "1"))


def get_rank_id(group: str = WORLD) -> int:
    _asked("get_rank_id")
    return int(os.getenv("RANK_ID", "0"))


def get_local_rank_id(group: str = WORLD) -> int:
    _asked("get_local_rank_id")
    return int(os.getenv("RANK_ID", "0"))


def get_world_rank_from_group_rank(group: str, group_rank_id: int) -> int:
    _asked("get_world_rank_from_group_rank")
    return group_rank_id


def get_group_rank_from_world_rank(world_rank_id: int, group: str) -> int:
    _asked("get_group_rank_from_world_rank")
    return world_rank_id


def create_group(group: str, rank_num: int, rank_ids: Any) -> None:
    _asked("create_group")


def destroy_group(group: str) -> None:
    pass


def _asked(function: str) -> None:
    watcher = current.watcher()
    if not watcher.communicates:
        watcher.tell_all(communication.rank_before_init(function, watcher.places.here()))
