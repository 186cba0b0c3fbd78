"""The stages that a server and its analysis go through."""

from __future__ import annotations

from itertools import product

import pytest
from lsprotocol.types import EXIT, INITIALIZE, SHUTDOWN, TEXT_DOCUMENT_HOVER

from npu_migrate.lsp.protocol.life import Life, life_after, refusal
from npu_migrate.lsp.session.stages import Event, Stage, stage_after


def last_stage(*events: Event, stage: Stage = Stage.OFF) -> Stage:
    for event in events:
        stage = stage_after(stage, event)
    return stage


ON, OFF, CHANGED = Event.SWITCHED_ON, Event.SWITCHED_OFF, Event.CHANGED
PAUSE_OVER, ANSWERED, PLANNED = Event.PAUSE_OVER, Event.ANSWERED, Event.PLANNED


def test_when_nobody_types_all_is_found_out() -> None:
    assert last_stage(ON, PAUSE_OVER, ANSWERED) is Stage.SETTLED
    assert last_stage(ON, PAUSE_OVER, ANSWERED, PAUSE_OVER, PLANNED) is Stage.RESTED


def test_each_change_begins_a_pause() -> None:
    assert last_stage(ON, CHANGED, CHANGED) is Stage.PAUSING
    for stage in (Stage.SETTLED, Stage.PLANNING, Stage.RESTED):
        assert last_stage(CHANGED, stage=stage) is Stage.PAUSING


def test_what_has_changed_while_it_was_judged_is_judged_again() -> None:
    judging = (ON, PAUSE_OVER)
    assert last_stage(*judging, CHANGED, ANSWERED) is Stage.PAUSING
    assert last_stage(*judging, CHANGED, PAUSE_OVER, CHANGED, ANSWERED) is Stage.JUDGING


def test_what_is_switched_off_stays_off() -> None:
    for stage, event in product((Stage.OFF, Stage.ENDING), (OFF, CHANGED, PAUSE_OVER, ANSWERED, PLANNED)):
        assert stage_after(stage, event).is_off
    for stage in Stage:
        assert stage_after(stage, OFF).is_off


def test_the_desk_is_asked_one_question_at_a_time() -> None:
    """Only when it has answered it can be asked again: also when all was switched off and on meanwhile."""
    busy = {Stage.JUDGING, Stage.OVERTAKEN, Stage.DUE, Stage.ENDING}
    for stage, event in product(busy, set(Event) - {ANSWERED}):
        assert stage_after(stage, event) in busy
        assert stage_after(stage, event) is not Stage.JUDGING or stage is Stage.JUDGING
    assert last_stage(ON, PAUSE_OVER, OFF, ON, PAUSE_OVER, ANSWERED) is Stage.JUDGING


def test_findings_are_never_known_of_texts_that_have_changed() -> None:
    for stage in Stage:
        assert not stage_after(stage, CHANGED).is_settled


@pytest.mark.parametrize(
    ("methods", "code"),
    [
        ((), 1),
        ((EXIT,), 1),
        ((INITIALIZE,), 1),
        ((INITIALIZE, EXIT), 1),
        ((INITIALIZE, TEXT_DOCUMENT_HOVER, SHUTDOWN), 0),
        ((INITIALIZE, SHUTDOWN, EXIT), 0),
    ],
)
def test_a_server_ends_well_when_it_was_asked_to(methods: tuple[str, ...], code: int) -> None:
    life = Life.UNINITIALIZED
    for method in methods:
        assert refusal(life, method) is None
        life = life_after(life, method)
    assert life.exit_code == code


def test_what_comes_at_a_wrong_time_is_refused_and_exit_never_is() -> None:
    asked = {life: refusal(life, TEXT_DOCUMENT_HOVER) for life in Life}
    assert [life for life, wrong in asked.items() if wrong is None] == [Life.INITIALIZED]
    assert [life for life in Life if refusal(life, INITIALIZE) is None] == [Life.UNINITIALIZED]
    assert [life for life in Life if refusal(life, EXIT) is not None] == []
