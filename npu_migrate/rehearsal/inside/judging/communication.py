"""Ranks before the collective communication is initialized; and what several devices do not do."""

from __future__ import annotations

from typing import Iterator

from ..events import Verdict
from ..places import Place


def rank_before_init(function: str, place: Place | None) -> Iterator[Verdict]:
    """The verdict on a question that has no answer yet (`FAQ:get_rank_id_error`)."""
    yield Verdict("NPU801", "rank-before-init", "warning", {"function": function}, place)


def checkpoints_by_time(place: Place) -> Iterator[Verdict]:
    """The verdict on a checkpoint every so many seconds, of a training on several devices."""
    yield Verdict("NPU803", "checkpoints-by-time", "warning", {}, place)
