"""Hints for the fusion of gradients, which change nothing here."""

from __future__ import annotations

from typing import Any


def set_split_strategy_by_idx(idxList: Any, group: str = "hccl_world_group") -> None:
    pass


def set_split_strategy_by_size(dataSizeList: Any, group: str = "hccl_world_group") -> None:
    pass
