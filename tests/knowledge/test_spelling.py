"""Which known name an unknown one was probably meant to be."""

from __future__ import annotations

import pytest

from npu_migrate.knowledge.spelling import Similar, distance, similar


@pytest.mark.parametrize(
    ("one", "other", "far"),
    [
        ("", "", 0),
        ("abc", "abc", 0),
        ("abc", "ab", 1),
        ("abc", "xbc", 1),
        ("abc", "", 3),
        ("abcd", "acbd", 2),
    ],
)
def test_how_far_names_are_apart(one: str, other: str, far: int) -> None:
    assert distance(one, other) == distance(other, one) == far


@pytest.mark.parametrize(
    ("name", "known", "found"),
    [
        ("dump_mod", ["dump_mode", "dump_path"], Similar("dump_mode", 1)),
        ("jop", ["job"], Similar("job", 1)),
        ("it", ["job"], None),
        ("loop", ["job"], None),
        ("dump_pode", ["dump_mode", "dump_node"], None),
        ("precision", ["precision_mode"], None),
    ],
)
def test_the_nearest_name(name: str, known: list[str], found: Similar | None) -> None:
    assert similar(name, known) == found


def test_the_distance_is_shown() -> None:
    assert Similar("dump_mode", 1).in_words() == "did you mean dump_mode (1 letter differs)?"
    assert Similar("dump_mode", 2).in_words() == "did you mean dump_mode (2 letters differ)?"
