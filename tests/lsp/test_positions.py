"""Positions of an editor and offsets, in all three units."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from npu_migrate.lsp.texts.positions import Encoding, editor_range, from_editor, to_editor
from npu_migrate.sources.lines import LineIndex

TEXTS = st.lists(
    st.sampled_from(
        [
            "a",
            "(",
            " ",
            "\t",
            "\n",
            "\r\n",
            "\r",
            "\f",
            "\u2028",
            "\x85",
            "é",
            "迭",
            "代",
            "😀",
            "👩‍🚀",
            "\ud83d",
            "\ude00",
        ]
    )
    | st.characters(),
    max_size=30,
).map(lambda parts: whole("".join(parts)))
ENCODINGS = st.sampled_from([Encoding.Utf8, Encoding.Utf16, Encoding.Utf32])


def whole(text: str) -> str:
    """A text in which no two halves of a character stand side by side, as no editor has it."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def width(text: str, encoding: Encoding) -> int:
    """How many units a text has."""
    if encoding is Encoding.Utf32:
        return len(text)
    units = 2 if encoding is Encoding.Utf16 else 1
    return len(text.encode("utf-16-le" if units == 2 else "utf-8", "surrogatepass")) // units


def by_the_book(text: str, offset: int, encoding: Encoding) -> types.Position:
    """The position of an offset as the protocol defines it."""
    before = re.split(r"\r\n|\r|\n", text[:offset])
    if text[:offset].endswith("\r") and text[offset : offset + 1] == "\n":
        before.pop()
    return types.Position(len(before) - 1, width(before[-1], encoding))


@given(TEXTS, st.integers(0, 40), ENCODINGS)
def test_an_offset_has_the_position_that_the_protocol_defines(
    text: str, offset: int, encoding: Encoding
) -> None:
    offset = min(offset, len(text))
    if text[offset - 1 : offset + 1] == "\r\n":
        return
    assert to_editor(LineIndex(text), offset, encoding) == by_the_book(text, offset, encoding)


@given(TEXTS, st.integers(0, 40), ENCODINGS)
def test_a_position_leads_back_to_its_offset(text: str, offset: int, encoding: Encoding) -> None:
    offset = min(offset, len(text))
    if text[offset - 1 : offset + 1] == "\r\n":
        return
    lines = LineIndex(text)
    assert from_editor(lines, to_editor(lines, offset, encoding), encoding) == offset


@given(TEXTS, st.integers(0, 30), st.integers(0, 90), ENCODINGS)
def test_any_position_leads_into_the_text(text: str, line: int, column: int, encoding: Encoding) -> None:
    lines = LineIndex(text)
    offset = from_editor(lines, types.Position(line, column), encoding)
    assert 0 <= offset <= len(text)
    if line < lines.count:
        start, end = lines.bounds(line + 1)
        assert start <= offset <= end
        assert width(text[start:offset], encoding) <= column


@pytest.mark.parametrize(
    ("encoding", "inside"), [(Encoding.Utf16, 2), (Encoding.Utf8, 3), (Encoding.Utf8, 4)]
)
def test_a_position_inside_a_character_is_its_start(encoding: Encoding, inside: int) -> None:
    assert from_editor(LineIndex("x😀y"), types.Position(0, inside), encoding) == 1


def test_half_of_a_character_is_one() -> None:
    lines = LineIndex("\ud83dab")
    assert from_editor(lines, types.Position(0, 2), Encoding.Utf16) == 2
    assert from_editor(lines, types.Position(0, 4), Encoding.Utf8) == 2


def test_a_form_feed_ends_no_line() -> None:
    lines = LineIndex("a\fb\r\nc")
    assert editor_range(lines, 2, 5, Encoding.Utf16) == types.Range(
        types.Position(0, 2), types.Position(1, 0)
    )
