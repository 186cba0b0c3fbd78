"""Features, and the functions that a dataset is given."""

from __future__ import annotations

from typing import Any


class FeatureSpec:
    def __init__(self, name: str, **others: Any) -> None:
        self.name = name
        self.others = others


def get_asc_insert_func(*args: Any, **kwargs: Any) -> Any:
    return lambda *batch: batch if len(batch) > 1 else batch[0]
