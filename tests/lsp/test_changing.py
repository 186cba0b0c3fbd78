"""Texts after changes: what comes out is what the protocol says, in whatever order editors send them."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from npu_migrate.lsp.texts.changing import changed_text
from npu_migrate.lsp.texts.positions import Encoding, from_editor
from npu_migrate.sources.lines import LineIndex

TEXTS = st.lists(
    st.sampled_from(["a", "é", "迭", "😀", "\r", "\n", "\r\n", "\x0c", "\u2028"]), max_size=12
).map("".join)
POSITIONS = st.builds(types.Position, st.integers(0, 6), st.integers(0, 5))
PARTS = st.builds(
    lambda start, end, text: types.TextDocumentContentChangePartial(range=types.Range(start, end), text=text),
    POSITIONS,
    POSITIONS,
    TEXTS,
)
CHANGES = st.lists(PARTS | st.builds(types.TextDocumentContentChangeWholeDocument, TEXTS), max_size=4)


def one_by_one(text: str, changes: Sequence[types.TextDocumentContentChangeEvent], encoding: Encoding) -> str:
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangeWholeDocument):
            text = change.text
        else:
            lines = LineIndex(text)
            start = from_editor(lines, change.range.start, encoding)
            end = from_editor(lines, change.range.end, encoding)
            text = text[:start] + change.text + text[max(start, end) :]
    return text


@given(text=TEXTS, changes=CHANGES, encoding=st.sampled_from([*Encoding]))
def test_each_change_is_made_in_the_whole_text(
    text: str, changes: list[types.TextDocumentContentChangeEvent], encoding: Encoding
) -> None:
    assert changed_text(text, changes, encoding) == one_by_one(text, changes, encoding)


def test_a_word_is_replaced_everywhere() -> None:
    """From below, as VS Code does it, and from above."""
    text = "x = some_name\n" * 3000
    changes: list[types.TextDocumentContentChangeEvent] = [
        types.TextDocumentContentChangePartial(
            range=types.Range(types.Position(line, 4), types.Position(line, 13)), text="other"
        )
        for line in range(3000)
    ]
    for order in (changes, changes[::-1]):
        assert changed_text(text, order, Encoding.Utf16) == "x = other\n" * 3000
