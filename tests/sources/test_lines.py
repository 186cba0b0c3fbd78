"""Line and column conversions, judged by CPython's own tokenizer and by plain counting."""

from __future__ import annotations

import ast
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npu_migrate.places import Position, Range
from npu_migrate.sources.lines import LineIndex

TEXTS = st.text(st.sampled_from("ab\té漢🎉 \u2028\x0c\x1c\n\r"), max_size=40)


@given(TEXTS)
def test_lines_and_their_newlines_make_up_the_text(text: str) -> None:
    index = LineIndex(text)
    bounds = [index.bounds(line) for line in range(1, index.count + 1)]
    between = [text[end:start] for (_, end), (start, _) in itertools.pairwise(bounds)]
    assert bounds[0][0] == 0
    assert bounds[-1][1] == len(text)
    assert set(between) <= {"\n", "\r\n", "\r"}
    assert not any(set("\r\n") & set(index.line(line)) for line in range(1, index.count + 1))


@given(TEXTS)
def test_every_offset_survives_each_unit(text: str) -> None:
    index = LineIndex(text)
    for offset in range(len(text) + 1):
        if text[offset - 1 : offset + 1] == "\r\n":
            continue  # no unit has a position between the two halves of one newline
        assert index.offset_of(index.position(offset)) == offset
        assert index.offset(*index.ast_position(offset)) == offset


@given(TEXTS)
def test_lines_are_those_of_ast(text: str) -> None:
    """A name at the end of the text has the same line and column for CPython."""
    source = "".join(one for one in text if one not in "\x1c\u2028") + "\n"
    commented = "".join(
        "#" + line if line.strip("\r\n") else line for line in _with_ends(source.replace("\x0c", ""))
    )
    name = ast.parse(commented + "名 = 名x").body[0]
    assert isinstance(name, ast.Assign)
    value = name.value
    index = LineIndex(commented + "名 = 名x")
    start, end = index.offsets((value.lineno, value.col_offset, value.lineno, value.end_col_offset or 0))
    assert (commented + "名 = 名x")[start:end] == "名x"


def _with_ends(text: str) -> list[str]:
    index = LineIndex(text)
    starts = [index.bounds(line)[0] for line in range(1, index.count + 1)]
    return [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]


@pytest.mark.parametrize(
    ("text", "line", "column", "position"),
    [
        ("x = 'é漢🎉' + y", 1, len("x = 'é漢🎉' + ".encode()), Position(1, 13)),
        ("a\r\nbc", 2, 1, Position(2, 2)),
        ("a\rbc", 2, 1, Position(2, 2)),
        ("a\x0cb\u2028c", 1, len("a\x0cb\u2028".encode()), Position(1, 5)),
    ],
)
def test_ast_position_becomes_report_position(text: str, line: int, column: int, position: Position) -> None:
    index = LineIndex(text)
    assert index.position(index.offset(line, column)) == position


def test_utf16_counts_astral_characters_twice() -> None:
    index = LineIndex("🎉漢x")
    assert index.utf16_position(2) == (0, 3)


def test_points_beyond_the_end_move_to_the_end() -> None:
    index = LineIndex("ab\ncd")
    assert index.offset(1, 99) == 2
    assert index.offset(9, 0) == 5
    assert index.offset_of(Position(1, 99)) == 2
    assert index.offset_of(Position(9, 1)) == 5
    assert index.position(99) == Position(2, 3)


def test_range_of_a_span_over_lines() -> None:
    index = LineIndex("é = f(\n  1)\n")
    assert index.range_of((1, 5, 2, 4)) == Range(Position(1, 5), Position(2, 5))
