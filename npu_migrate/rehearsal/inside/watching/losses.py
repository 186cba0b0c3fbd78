"""What a run on the host has assigned does not reach the device."""

from __future__ import annotations

from typing import Any

from ..judging.seen import Seen
from . import zeros


def lost_values(seen: Seen, unseen: zeros.Run) -> dict[Any, Any]:
    """The variables that a run has just assigned and that are 0 on the device, with their values."""
    return {
        variable: value
        for variable, value in zeros.values_of(seen.run.assigned, unseen).items()
        if zeros.has_other_than_zeros(value)
    }
