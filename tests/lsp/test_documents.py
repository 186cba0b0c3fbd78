"""What an editor holds: changes of texts, edits, notebooks, addresses."""

from __future__ import annotations

import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from npu_migrate.lsp.texts.addresses import address_of_key, has_file, key_of_address
from npu_migrate.lsp.texts.documents import Document
from npu_migrate.lsp.texts.notebooks import NotebookDocument, opened_notebook
from npu_migrate.lsp.texts.positions import Encoding
from npu_migrate.sources.shifts import shift_between
from npu_migrate.sources.source import Source, UneditableText

PIECES = st.sampled_from(["a", "x = 1", " ", "\n", "\r\n", "\r", "\f", "迭代", "😀", "é", "# "])
TEXTS = st.lists(PIECES, max_size=12).map("".join)
ENCODINGS = st.sampled_from([Encoding.Utf8, Encoding.Utf16, Encoding.Utf32])


def partial(
    start: tuple[int, int], end: tuple[int, int], text: str
) -> types.TextDocumentContentChangePartial:
    return types.TextDocumentContentChangePartial(
        range=types.Range(types.Position(*start), types.Position(*end)), text=text
    )


def test_each_change_speaks_of_the_text_that_the_one_before_has_left() -> None:
    document = Document("file:///a.py", "/a.py", 1, "one\r\ntwo\r\n")
    changes = [partial((0, 0), (0, 3), "😀"), partial((0, 2), (1, 0), "\n"), partial((1, 0), (1, 0), "2 ")]
    later = document.changed(7, changes, Encoding.Utf16)
    assert (later.version, later.text) == (7, "😀\n2 two\r\n")


def test_a_whole_text_replaces_what_was_there() -> None:
    document = Document("file:///a.py", "/a.py", 1, "one")
    changes = [types.TextDocumentContentChangeWholeDocument("two"), partial((0, 3), (0, 3), "!")]
    assert document.changed(2, changes, Encoding.Utf16).text == "two!"


def test_halves_of_a_character_that_come_together_are_the_character() -> None:
    document = Document("file:///a.py", "/a.py", 1, "#")
    half = document.changed(2, [partial((0, 1), (0, 1), "\ud83d")], Encoding.Utf16)
    assert isinstance(half.content, bytes)
    both = half.changed(3, [partial((0, 2), (0, 2), "\ude00")], Encoding.Utf16)
    assert both.text == "#😀"
    assert isinstance(both.content, Source)


def test_a_change_that_ends_before_it_begins_inserts() -> None:
    document = Document("file:///a.py", "/a.py", 1, "abc")
    assert document.changed(2, [partial((0, 2), (0, 1), "X")], Encoding.Utf16).text == "abXc"


@given(TEXTS, TEXTS, st.integers(0, 40), st.integers(0, 40), ENCODINGS)
def test_edits_and_changes_say_the_same(
    text: str, new: str, first: int, second: int, encoding: Encoding
) -> None:
    """What the server asks for, sent back by an editor that has done it, gives the text that was meant."""
    start, end = sorted((min(first, len(text)), min(second, len(text))))
    inside = any(text[at - 1 : at + 1] == "\r\n" for at in (start, end))
    document = Document("file:///a.py", "/a.py", 1, text)
    if inside or isinstance(document.content, bytes):
        return
    ((_, (edit,)),) = document.spliced([(start, end, new)], encoding).items()
    change = types.TextDocumentContentChangePartial(range=edit.range, text=edit.new_text)
    assert document.changed(2, [change], encoding).text == text[:start] + new + text[end:]


def test_a_byte_order_mark_that_an_editor_shows_is_no_part_of_the_text() -> None:
    document = Document("file:///a.py", "/a.py", 1, "\ufeffx = 1\n")
    assert document.body == "x = 1\n"
    assert document.location(0, 1, Encoding.Utf16).range.start == types.Position(0, 1)
    assert document.offset("file:///a.py", types.Position(0, 1), Encoding.Utf16) == 0
    ((_, (edit,)),) = document.spliced([(0, 1, "y")], Encoding.Utf16).items()
    change = types.TextDocumentContentChangePartial(range=edit.range, text=edit.new_text)
    assert document.changed(2, [change], Encoding.Utf16).text == "\ufeffy = 1\n"


# -- what is left of findings while a text is broken -------------------------------------------------------


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_what_lies_outside_a_change_moves_with_its_text(before: str, old: str, new: str, behind: str) -> None:
    shift = shift_between(before + old + behind, before + new + behind)
    for start, end in ((0, len(before)), (len(before + old), len(before + old + behind))):
        moved = shift.moved(start, end)
        if moved is not None:
            text = (before + old + behind)[start:end]
            assert (before + new + behind)[moved[0] : moved[1]] == text


@given(TEXTS, TEXTS)
def test_a_shift_is_the_whole_change(old: str, new: str) -> None:
    shift = shift_between(old, new)
    if old != new:
        assert new == old[: shift.start] + new[shift.start : shift.end + shift.growth] + old[shift.end :]
        assert old[shift.start : shift.end] != new[shift.start : shift.end + shift.growth]


@pytest.mark.parametrize(
    ("now", "kept"),
    [
        ("aa bb cc", True),
        ("aa bb cc dd", True),
        ("Xaa bb cc", True),
        ("aa bXb cc", False),
        ("aa bb( cc", False),
        ("aa (bb cc", False),
        ("aa cc", False),
    ],
)
def test_what_a_change_touches_is_dropped(now: str, kept: bool) -> None:
    moved = shift_between("aa bb cc", now).moved(3, 5)
    assert (moved is not None) is kept
    if moved is not None:
        assert now[moved[0] : moved[1]] == "bb"


# -- notebooks -----------------------------------------------------------------------------------------------


def notebook(*cells: str, kinds: str = "") -> NotebookDocument:
    """An open notebook; `kinds` has an m for each cell that is Markdown."""
    found, texts = [], []
    for number, text in enumerate(cells):
        is_text = kinds[number : number + 1] == "m"
        kind = types.NotebookCellKind.Markup if is_text else types.NotebookCellKind.Code
        found.append(types.NotebookCell(kind, f"cell:{number}"))
        language = "markdown" if is_text else "python"
        texts.append(types.TextDocumentItem(f"cell:{number}", language, 1, text))
    document = types.NotebookDocument("file:///n.ipynb", "jupyter-notebook", 1, found)
    return opened_notebook(document, "/n.ipynb", texts)


def test_the_cells_of_a_notebook_are_one_text() -> None:
    opened = notebook("x = '迭'\n", "# Title", "%matplotlib inline\ny = x", kinds="cmc")
    assert isinstance(opened.content, Source)
    assert opened.body == "x = '迭'\n\n%matplotlib inline\ny = x\n"
    assert len(opened.content.text) == len(opened.body)
    assert opened.content.notebook is not None
    assert opened.content.notebook.joined == opened.joined
    where = opened.location(opened.body.index("y"), opened.body.index("y") + 1, Encoding.Utf16)
    assert where == types.Location("cell:2", types.Range(types.Position(1, 0), types.Position(1, 1)))
    assert opened.offset("cell:2", types.Position(1, 0), Encoding.Utf16) == opened.body.index("y")


def test_an_edit_goes_to_its_cell_and_not_to_two() -> None:
    opened = notebook("a = 1", "b = 2")
    at = opened.body.index("b")
    ((part, edits),) = opened.spliced([(at, at + 1, "c")], Encoding.Utf16).items()
    assert (part.uri, [edit.new_text for edit in edits]) == ("cell:1", ["c"])
    with pytest.raises(UneditableText):
        opened.spliced([(0, at + 1, "c")], Encoding.Utf16)


def test_cells_come_and_go() -> None:
    opened = notebook("a = 1", "b = 2", "c = 3")
    added = types.NotebookCell(types.NotebookCellKind.Code, "cell:9")
    structure = types.NotebookDocumentCellChangeStructure(
        types.NotebookCellArrayChange(start=1, delete_count=1, cells=[added]),
        did_open=[types.TextDocumentItem("cell:9", "python", 1, "d = 4")],
    )
    content = types.NotebookDocumentCellContentChanges(
        types.VersionedTextDocumentIdentifier(version=2, uri="cell:0"), [partial((0, 4), (0, 5), "7")]
    )
    unknown = types.NotebookDocumentCellContentChanges(
        types.VersionedTextDocumentIdentifier(version=2, uri="cell:1"), [partial((0, 0), (0, 0), "!")]
    )
    change = types.NotebookDocumentChangeEvent(
        cells=types.NotebookDocumentCellChanges(structure=structure, text_content=[content, unknown])
    )
    later = opened.changed(change, Encoding.Utf16)
    assert [part.uri for part in later.parts] == ["cell:0", "cell:9", "cell:2"]
    assert later.body == "a = 7\nd = 4\nc = 3\n"
    assert opened.body == "a = 1\nb = 2\nc = 3\n"


def test_a_notebook_without_python_has_no_place() -> None:
    opened = notebook("# Title", kinds="m")
    assert isinstance(opened.content, Source)
    assert opened.location(0, 0, Encoding.Utf16) is None


# -- addresses -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("file:///home/me/train.py", "/home/me/train.py"),
        ("file:///home/me/%E8%AE%AD%E7%BB%83/a%20b.py", "/home/me/训练/a b.py"),
        ("file:///home/me/训练.py", "/home/me/训练.py"),
        ("file:///a%3Bb/c%23d%3F.py", "/a;b/c#d?.py"),
        ("file:///a;b/c.py", "/a;b/c.py"),
        ("file:///c%3A/models/train.py", "/c:/models/train.py"),
        ("file://localhost/a.py", "/a.py"),
        ("git:/home/me/train.py?ref", None),
        ("vscode-notebook-cell:/n.ipynb#W0", None),
        ("file:", None),
        ("untitled:", None),
        ("", None),
    ],
)
def test_the_key_of_an_address(address: str, key: str | None) -> None:
    assert key_of_address(address) == key


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=20))
def test_an_address_leads_back_to_its_key(name: str) -> None:
    key = os.path.abspath("/x/" + re.sub(r"/+", "/", name))  # noqa: PTH100
    if not key.startswith("//"):
        assert key_of_address(address_of_key(key)) == key


def test_a_text_without_a_file_lies_alone() -> None:
    key = key_of_address("untitled:Untitled-1")
    assert key is not None
    assert not has_file(key)
    assert key != key_of_address("untitled:Untitled-2")
    assert has_file("/home/me/untitled:/a.py")
