"""Features that go, after a while. REC-CODE:mx_rec/core/feature_process.py."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from mx_rec.constants.constants import DEFAULT_EVICT_TIME_INTERVAL


class EvictHook(tf.compat.v1.train.SessionRunHook):
    """Nothing goes in a rehearsal; as in the real one, there has to be a global step."""

    def __init__(
        self,
        evict_enable: bool = False,
        evict_time_interval: int = DEFAULT_EVICT_TIME_INTERVAL,
        evict_step_interval: Any = None,
    ) -> None:
        self.evict_enable = evict_enable

    def begin(self) -> None:
        tf.compat.v1.train.get_or_create_global_step()
