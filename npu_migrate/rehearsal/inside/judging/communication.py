"""P19: ranks before the collective communication is initialized."""

from __future__ import annotations

from ..events import Verdict
from ..places import Place


def rank_before_init(function: str, place: Place | None) -> Verdict:
    """The verdict on a question that has no answer yet (`FAQ:get_rank_id_error`)."""
    return Verdict("NPU801", "rank-before-init", "warning", {"function": function}, place)
