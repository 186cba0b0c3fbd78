"""Which release came with which CANN, as far as that is known."""

from __future__ import annotations

import pytest

from npu_migrate.knowledge.releases import (
    cann_number,
    has_certainly,
    in_words,
    lacks_certainly,
    release_number,
)


@pytest.mark.parametrize(
    ("cann", "since", "has", "lacks"),
    [
        ("7.0", "r1.15", True, False),
        ("8.0.RC1", "r1.13", True, False),
        ("7.0.0", "after r1.15", False, True),
        ("8.0", "after r1.15", False, False),
        ("6.3", "r1.15", False, True),
        ("6.3", "r1.14", False, False),
        ("6.3", "after r1.15", False, True),
        (None, "r1.2", False, False),
        ("8.0", None, False, False),
    ],
)
def test_what_a_version_has_for_certain(cann: str | None, since: str | None, has: bool, lacks: bool) -> None:
    assert has_certainly(cann, since) is has
    assert lacks_certainly(cann, since) is lacks


def test_numbers() -> None:
    assert release_number("r1.9") < release_number("r1.13") < release_number("after r1.15")
    assert cann_number("8.0.RC1") == (8, 0)
    with pytest.raises(ValueError, match="not a release"):
        release_number("1.15")
    with pytest.raises(ValueError, match="not a version"):
        cann_number("newest")


def test_words() -> None:
    assert in_words("r1.13") == "r1.13"
    assert in_words("after r1.15") == "a CANN after 7.0"
