"""What moving a session comes to: intents, and whether they may be applied unread."""

from __future__ import annotations

from typing import NamedTuple

from npu_migrate.findings import Applicability
from npu_migrate.intents import Intent


class Edit(NamedTuple):
    """A change of the program, or the reason why there is none: `intents` are empty then.

    `assumes` says what an unsafe change rests on, or what it leaves undone.
    """

    intents: tuple[Intent, ...]
    applicability: Applicability = Applicability.SAFE
    obstacle: str = ""
    assumes: str = ""


NO_CHANGE = Edit((), Applicability.UNSAFE)
"""No change, where the message says what is to be done by hand."""


def refused(obstacle: str) -> Edit:
    """No change, for a reason."""
    return Edit((), Applicability.UNSAFE, obstacle)
