"""One module for each group of the NPU's rules. A judge is a function from what is known to verdicts."""

from __future__ import annotations

from typing import Any, Iterator, Mapping

from ..events import Verdict
from ..sessions.sessions import Session
from . import acceleration, inputs, keys, loops, loss_scaling, operators, rec, resources
from .seen import Seen

_OF_NAMES_AND_FIELDS = frozenset(["NPU601", "NPU602"])


def of_options(session: Session, tables: Mapping[str, Any]) -> Iterator[Verdict]:
    """What is wrong with a session's options before anything runs."""
    options, place = session.options, session.place
    yield from keys.judge(options, tables, place)
    yield from keys.judge_other_entries(options, tables, place)
    yield from loops.judge_options(options, place)
    yield from acceleration.judge_options(options, tables["acceleration"], place)


def of_other_entries(session: Session, tables: Mapping[str, Any]) -> Iterator[Verdict]:
    """What is wrong with the entries of a session that does not reach the NPU.

    Names and fields of an NpuOptimizer entry are looked at too: a key in a wrong field may be the reason.
    """
    options, place = session.options, session.place
    yield from keys.judge_other_entries(options, tables, place)
    for verdict in keys.judge(options, tables, place):
        if verdict.code in _OF_NAMES_AND_FIELDS:
            yield verdict


def of_run(seen: Seen) -> Iterator[Verdict]:
    """What is wrong with a run, whatever has run before."""
    yield from inputs.judge(seen)
    yield from loops.judge(seen)
    yield from loss_scaling.judge(seen)
    yield from operators.judge(seen)
    yield from rec.judge(seen)


def of_state(seen: Seen) -> Iterator[Verdict]:
    """What is wrong with a run after those that came before it."""
    yield from resources.judge_initialization(seen)
    yield from resources.judge_reading(seen)
