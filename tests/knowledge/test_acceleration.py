"""The grammar of ``accelerate_train_mode`` as the runtime reads it."""

from __future__ import annotations

import pytest

from npu_migrate.knowledge.acceleration import Mode, is_unset, meant_mode, parse_mode


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("fast|step|0.9", Mode("fast", "step", 0.9)),
        ("fast1|loss|1.05", Mode("fast1", "loss", 1.05)),
        ("fast|step|2", Mode("fast", "step", 2.0)),
        ("fast|step|.5", Mode("fast", "step", 0.5)),
        ("fast|step|5e-1", Mode("fast", "step", 0.5)),
        ("fast|step|-1", Mode("fast", "step", -1.0)),
        ("fast|loss", Mode("fast", "loss", None)),
        ("fast|loss|", Mode("fast", "loss", None)),
    ],
)
def test_modes(text: str, mode: Mode) -> None:
    assert parse_mode(text) == mode == meant_mode(text)


@pytest.mark.parametrize(
    "text",
    ["", "fast", "fast|step|0.9|1", "fast2|step|0.9", "fast|epoch|0.9", "fast|step|x", "fast|step|0_9",
     "fast|step|nan", "fast|step|inf", "fast|step|0.9f", "fast;step;0.9"],
)  # fmt: skip
def test_no_modes(text: str) -> None:
    assert parse_mode(text) is None
    assert meant_mode(text) is None


@pytest.mark.parametrize(
    "text", ["Fast|step|0.9", "fast | step|0.9", " fast|step|0.9", "fast|step|0.9\n", "FAST|STEP|"]
)
def test_modes_but_for_blanks_and_capitals(text: str) -> None:
    assert parse_mode(text) is None
    assert meant_mode(text) is not None


@pytest.mark.parametrize("value", [None, "", "none", "None", b"", b"none"])
def test_unset(value: object) -> None:
    assert is_unset(value)


@pytest.mark.parametrize("value", [0, False, "origin", b"fast|step|0.9"])
def test_set(value: object) -> None:
    assert not is_unset(value)
