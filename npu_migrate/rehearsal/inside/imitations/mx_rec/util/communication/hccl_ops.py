"""Ranks; a process that is alone is rank 0 of 1, where the real ones want a launcher."""

from __future__ import annotations

import os


def get_rank_id() -> int:
    return int(os.getenv("OMPI_COMM_WORLD_RANK") or os.getenv("RANK_ID") or 0)


def get_device_id() -> int:
    return int(os.getenv("DEVICE_ID") or get_rank_id())


def get_rank_size() -> int:
    return int(os.getenv("OMPI_COMM_WORLD_SIZE") or os.getenv("RANK_SIZE") or 1)


def get_local_rank_size() -> int:
    return int(os.getenv("OMPI_COMM_WORLD_LOCAL_SIZE") or get_rank_size())
