"""The stages of an analysis that follows texts while they are written, and what leads from one to another.

Nobody types:                        PAUSING → JUDGING → SETTLED → PLANNING → RESTED
A text changes:                      SETTLED, PLANNING or RESTED → PAUSING
… while it is judged:                JUDGING → OVERTAKEN
… and the desk answers:              OVERTAKEN → PAUSING
… and goes on until nobody types:    OVERTAKEN → DUE, and when the desk answers, → JUDGING
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto


class Stage(Enum):
    """How far the analysis of the open texts is. The desk is asked one question after the other."""

    OFF = auto()
    """The user has switched it off. Changes are kept for later."""
    ENDING = auto()
    """As `OFF`, but the desk is still at its last answer, which nobody will hear."""
    PAUSING = auto()
    """Texts have changed, and may change again in a moment: that is waited for."""
    JUDGING = auto()
    """The desk looks for what is found in the texts as they are now."""
    OVERTAKEN = auto()
    """As `PAUSING`, but the desk is still at its answer for texts that have changed since."""
    DUE = auto()
    """As `OVERTAKEN`, and the pause is over: the desk is asked again as soon as it has answered."""
    SETTLED = auto()
    """What is found in the texts is known. Without a change for a while, their fixes are planned next."""
    PLANNING = auto()
    """Also settled; how the fixes can be carried out is found out, one file after the other."""
    RESTED = auto()
    """All is known."""

    @property
    def is_settled(self) -> bool:
        """Whether what is found in the present texts is known."""
        return self in (Stage.SETTLED, Stage.PLANNING, Stage.RESTED)

    @property
    def is_pausing(self) -> bool:
        """Whether it is waited for the next change."""
        return self in (Stage.PAUSING, Stage.OVERTAKEN)

    @property
    def is_off(self) -> bool:
        """Whether nothing is to be found out."""
        return self in (Stage.OFF, Stage.ENDING)


class Event(Enum):
    """What leads from one stage to another."""

    SWITCHED_ON = auto()
    SWITCHED_OFF = auto()
    CHANGED = auto()
    PAUSE_OVER = auto()
    ANSWERED = auto()
    """The desk has judged, given up or failed."""
    PLANNED = auto()


_NEXT: Mapping[Stage, Mapping[Event, Stage]] = {
    Stage.OFF: {
        Event.SWITCHED_ON: Stage.PAUSING,
    },
    Stage.ENDING: {
        Event.SWITCHED_ON: Stage.OVERTAKEN,
        Event.ANSWERED: Stage.OFF,
    },
    Stage.PAUSING: {
        Event.SWITCHED_OFF: Stage.OFF,
        Event.PAUSE_OVER: Stage.JUDGING,
    },
    Stage.JUDGING: {
        Event.SWITCHED_OFF: Stage.ENDING,
        Event.CHANGED: Stage.OVERTAKEN,
        Event.ANSWERED: Stage.SETTLED,
    },
    Stage.OVERTAKEN: {
        Event.SWITCHED_OFF: Stage.ENDING,
        Event.PAUSE_OVER: Stage.DUE,
        Event.ANSWERED: Stage.PAUSING,
    },
    Stage.DUE: {
        Event.SWITCHED_OFF: Stage.ENDING,
        Event.ANSWERED: Stage.JUDGING,
    },
    Stage.SETTLED: {
        Event.SWITCHED_OFF: Stage.OFF,
        Event.CHANGED: Stage.PAUSING,
        Event.PAUSE_OVER: Stage.PLANNING,
    },
    Stage.PLANNING: {
        Event.SWITCHED_OFF: Stage.OFF,
        Event.CHANGED: Stage.PAUSING,
        Event.PLANNED: Stage.RESTED,
    },
    Stage.RESTED: {
        Event.SWITCHED_OFF: Stage.OFF,
        Event.CHANGED: Stage.PAUSING,
    },
}


def stage_after(stage: Stage, event: Event) -> Stage:
    """The stage that an event leads to; the same one where the event changes nothing."""
    return _NEXT[stage].get(event, stage)
