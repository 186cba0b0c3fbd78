"""Applying edits, and composing two passes of them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npu_migrate.rewrite.edits import OffsetEdit, apply_edits, by_path, compose


def edit(start: int, end: int, text: str, path: str = "f") -> OffsetEdit:
    return OffsetEdit(path, start, end, text)


def test_edits_apply_in_any_order_and_equal_ones_once() -> None:
    edits = [edit(4, 4, "!"), edit(0, 1, "A"), edit(1, 3, ""), edit(4, 4, "!")]
    assert apply_edits("abcd", edits) == "Ad!"


@pytest.mark.parametrize(
    "edits",
    [
        [edit(0, 2, "x"), edit(1, 3, "y")],
        [edit(0, 2, "x"), edit(0, 0, "y")],
        [edit(1, 1, "x"), edit(1, 1, "y")],
        [edit(3, 9, "x")],
        [edit(3, 2, "x")],
        [edit(-1, 2, "x")],
    ],
)
def test_edits_that_do_not_fit_are_errors(edits: list[OffsetEdit]) -> None:
    with pytest.raises(ValueError, match="overlaps"):
        apply_edits("abcd", edits)


def test_edits_by_path_are_sorted_and_unique() -> None:
    one, two, other = edit(3, 4, "x"), edit(0, 1, "y"), edit(5, 5, "z", "g")
    assert by_path([one, other, two, one]) == {"f": [two, one], "g": [other]}


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        pytest.param([edit(2, 2, "XY")], [edit(3, 3, "-")], [edit(2, 2, "X-Y")], id="inside"),
        pytest.param([edit(2, 2, "XY")], [edit(4, 4, "-")], [edit(2, 2, "XY-")], id="behind-insertion"),
        pytest.param([edit(2, 2, "XY")], [edit(2, 2, "-")], [edit(2, 2, "-XY")], id="before-insertion"),
        pytest.param([edit(2, 3, "XY")], [edit(4, 4, "-")], [edit(2, 3, "XY"), edit(3, 3, "-")], id="behind"),
        pytest.param([edit(2, 3, "XY")], [edit(2, 2, "-")], [edit(2, 3, "-XY")], id="before"),
        pytest.param(
            [edit(2, 3, "")], [edit(2, 2, "-")], [edit(2, 3, ""), edit(3, 3, "-")], id="at-deletion"
        ),
        pytest.param([edit(2, 2, "XY")], [edit(1, 3, "")], [edit(1, 2, "Y")], id="overlap-left"),
        pytest.param([edit(2, 2, "XY")], [edit(3, 5, "")], [edit(2, 3, "X")], id="overlap-right"),
        pytest.param([edit(2, 2, "XY")], [edit(4, 5, "Z")], [edit(2, 3, "XYZ")], id="same-start"),
        pytest.param([edit(1, 1, "X"), edit(3, 3, "Y")], [edit(1, 5, "")], [edit(1, 3, "")], id="over-two"),
        pytest.param(
            [edit(1, 1, "XX"), edit(3, 3, "YY")], [edit(2, 6, "-")], [edit(1, 3, "X-Y")], id="between"
        ),
        pytest.param([edit(0, 4, "")], [edit(0, 0, "-")], [edit(0, 4, ""), edit(4, 4, "-")], id="emptied"),
        pytest.param([], [edit(1, 2, "x")], [edit(1, 2, "x")], id="second-only"),
        pytest.param([edit(1, 2, "x")], [], [edit(1, 2, "x")], id="first-only"),
    ],
)
def test_composition(first: list[OffsetEdit], second: list[OffsetEdit], expected: list[OffsetEdit]) -> None:
    assert [one.edit for one in compose(first, second)] == expected


def test_composition_keeps_files_apart_and_tells_what_it_is_made_of() -> None:
    first = [edit(5, 5, "x", "g"), edit(2, 2, "ab")]
    second = [edit(3, 3, "-"), edit(0, 0, "y", "g"), edit(9, 9, "z")]
    assert compose(first, second) == (
        (edit(2, 2, "a-b"), (1,), (0,)),
        (edit(7, 7, "z"), (), (2,)),
        (edit(0, 0, "y", "g"), (), (1,)),
        (edit(5, 5, "x", "g"), (0,), ()),
    )


@st.composite
def edits_on(draw: st.DrawFn, text: str) -> list[OffsetEdit]:
    """Edits on `text` of which no two start at one place or overlap, and none changes nothing."""
    edits: list[OffsetEdit] = []
    start = draw(st.integers(0, 3))
    while start <= len(text):
        end = min(len(text), start + draw(st.integers(0, 3)))
        new = draw(st.text("xyz", min_size=start == end, max_size=3))
        edits.append(edit(start, end, new))
        start = max(end, start + 1) + draw(st.integers(0, 3))
    return edits


@given(st.data())
@settings(max_examples=400, deadline=None)
def test_composed_edits_do_what_two_passes_do(data: st.DataObject) -> None:
    text = data.draw(st.text("abcdefgh", max_size=14))
    first = data.draw(edits_on(text))
    middle = apply_edits(text, first)
    second = data.draw(edits_on(middle))
    composed = compose(first, second)
    assert apply_edits(text, [one.edit for one in composed]) == apply_edits(middle, second)
    assert sorted(index for one in composed for index in one.first) == list(range(len(first)))
    assert sorted(index for one in composed for index in one.second) == list(range(len(second)))
