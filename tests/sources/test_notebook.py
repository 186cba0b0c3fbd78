"""Notebooks as files: whatever their layout, an edit changes one cell and leaves all other bytes alone."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import nbformat
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from npu_migrate.sources.notebook import ForeignLanguage, Notebook, NotebookError, read_notebook
from npu_migrate.sources.source import NoPythonNotebook, UndecodableFile, UneditableText, decode, from_text

Edit = tuple[int, int, str]

PYTHON = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}


def code_cell(source: str | list[str], **more: object) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": source,
        **more,
    }


def markdown_cell(source: str | list[str]) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def document(*cells: dict[str, Any], metadata: dict[str, Any] = PYTHON) -> dict[str, Any]:
    return {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 4}


def in_lines(text: str) -> list[str]:
    """As Jupyter keeps a text."""
    return [line for line in re.split(r"(?<=\n)", text) if line]


def code_of(values: dict[str, Any]) -> list[str]:
    return ["".join(cell["source"]) for cell in values["cells"] if cell["cell_type"] == "code"]


def edited(text: str, edits: Sequence[Edit]) -> str:
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


# -- any layout --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Layout:
    """How a notebook is printed."""

    indent: int | str | None
    ascii: bool
    tight: bool
    newline: str
    end: str

    def __call__(self, values: dict[str, Any]) -> str:
        separators = (",", ":") if self.tight else None
        text = json.dumps(values, indent=self.indent, ensure_ascii=self.ascii, separators=separators)
        return text.replace("\n", self.newline) + self.end


layouts = st.builds(
    Layout,
    indent=st.sampled_from([1, 2, "\t", 0, None]),
    ascii=st.booleans(),
    tight=st.booleans(),
    newline=st.sampled_from(["\n", "\r\n"]),
    end=st.sampled_from(["", "\n"]),
)
texts = st.text('ab\n\n"\\\té中\N{GRINNING FACE}\x85\x1f', max_size=12)
"""None of these characters makes a line a command."""


@st.composite
def cell_sources(draw: st.DrawFn) -> str | list[str]:
    """A text as one string, in lines, or cut at any places."""
    text = draw(texts)
    match draw(st.sampled_from(["string", "lines", "pieces"])):
        case "string":
            return text
        case "lines":
            return in_lines(text)
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=4)))
    return [text[i:j] for i, j in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    code = cell_sources().map(code_cell)
    return document(*draw(st.lists(st.one_of(code, cell_sources().map(markdown_cell)), max_size=5)))


@st.composite
def with_escapes(draw: st.DrawFn, text: str) -> str:
    """`text` with some letters in its code written as numbers, which JSON allows."""
    chosen = draw(st.sets(st.integers(0, 30), max_size=4))
    found = iter(range(len(text)))
    return re.sub(
        r"(?<![a-z\\])[ab](?![a-z])", lambda m: f"\\u00{ord(m[0]):x}" if next(found) in chosen else m[0], text
    )


@st.composite
def edits_of(draw: st.DrawFn, notebook: Notebook) -> list[Edit]:
    """Edits of single cells that start at different places and do not overlap."""
    joined = notebook.joined
    edits: list[Edit] = []
    for index, source in enumerate(notebook.sources):
        if not source.strings:
            continue
        start, end = joined.bounds(index)
        points = sorted(draw(st.sets(st.integers(start, end), max_size=5)))
        for first, last in zip(points, [*points[1:], end], strict=False):
            if draw(st.booleans()):
                edits.append((first, draw(st.integers(first, last)), draw(texts)))
    return [(a, b, new) for a, b, new in edits if a < b or new]


@settings(deadline=None)
@given(st.data(), documents(), layouts)
def test_edits_change_the_cells_and_nothing_else(
    data: st.DataObject, values: dict[str, Any], layout: Layout
) -> None:
    text = data.draw(with_escapes(layout(values)))
    notebook = read_notebook(text)
    assert notebook.joined.written == "".join(f"{code}\n" for code in code_of(values))
    edits = data.draw(edits_of(notebook))
    result = in_the_file(notebook, edits)
    after = json.loads(result)
    assert "".join(f"{code}\n" for code in code_of(after)) == edited(notebook.joined.written, edits)
    assert without_code(after) == without_code(values)
    assert around_the_code(result) == around_the_code(text)
    nbformat.validate(nbformat.reads(result, as_version=4))


@settings(deadline=None)
@given(st.data(), st.lists(texts.map(in_lines), min_size=1, max_size=4), layouts)
def test_edited_lines_are_written_as_jupyter_writes_them(
    data: st.DataObject, sources: list[list[str]], layout: Layout
) -> None:
    # Cells that tell how this file separates lines and whether it escapes letters.
    samples = (code_cell(["x\n", "y"]), markdown_cell(["é"]))
    text = layout(document(*samples, *map(code_cell, sources)))
    notebook = read_notebook(text)
    edits = data.draw(edits_of(notebook))
    # Of two edits that touch, neither knows whether the other ends its line.
    assume(all(end < start for (_, end, _), (start, _, _) in pairwise(edits)))
    result = in_the_file(notebook, edits)
    after = json.loads(result)
    # What is deleted up to the end of a cell leaves an empty string behind, which Jupyter joins as well.
    assume(all(cell["source"][-1:] != [""] for cell in after["cells"]))
    for cell in after["cells"]:
        cell["source"] = in_lines("".join(cell["source"]))
    assert result == layout(after)


@settings(deadline=None)
@given(documents(), layouts, st.data())
def test_each_character_is_found_in_the_file(
    values: dict[str, Any], layout: Layout, data: st.DataObject
) -> None:
    notebook = read_notebook(data.draw(with_escapes(layout(values))))
    for index, cell in enumerate(notebook.joined.cells):
        start, _ = notebook.joined.bounds(index)
        for offset, character in enumerate(cell.text, start):
            first, last = notebook.file_range(offset, offset + 1)
            assert json.loads(f'"{notebook.text[first:last]}"') == character


def in_the_file(notebook: Notebook, edits: Sequence[Edit]) -> str:
    """The JSON text after edits of the code. The edits of it are checked to be as apart as those."""
    found = [notebook.file_edit(*edit) for edit in sorted(edits)]
    for (start, end, _), (following, _, _) in pairwise(found):
        assert start < following
        assert end <= following
    return edited(notebook.text, found)


def without_code(values: dict[str, Any]) -> list[Any]:
    cells = [cell | {"source": ""} if cell["cell_type"] == "code" else cell for cell in values["cells"]]
    return [values | {"cells": cells}]


def around_the_code(text: str) -> list[str]:
    """The stretches of a notebook between the strings of its code cells."""
    pieces = []
    done = 0
    for source in read_notebook(text).sources:
        if source.strings:
            pieces.append(text[done : source.strings[0].start])
            done = source.strings[-1].end
    return [*pieces, text[done:]]


# -- single edits ------------------------------------------------------------------------------------------


def changed(notebook: dict[str, Any] | str, edit: Edit, **layout: Any) -> Any:
    """The source of the first code cell after one edit."""
    text = notebook if isinstance(notebook, str) else json.dumps(notebook, **layout)
    values = json.loads(in_the_file(read_notebook(text), [edit]))
    return next(cell["source"] for cell in values["cells"] if cell["cell_type"] == "code")


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        ((2, 2, "new\n"), ["a\n", "new\n", "b\n", "c"]),
        ((1, 1, "\nnew"), ["a\n", "new\n", "b\n", "c"]),
        ((5, 5, "\nnew"), ["a\n", "b\n", "c\n", "new"]),
        ((2, 4, ""), ["a\n", "c"]),
        ((0, 4, ""), ["c"]),
        ((0, 5, "new"), ["new"]),
        ((1, 2, "; "), ["a; b\n", "c"]),
        ((2, 3, "x\ny"), ["a\n", "x\n", "y\n", "c"]),
        # up to the end of the cell, with the newline that separates it from the next
        ((4, 6, "new\n"), ["a\n", "b\n", "new"]),
        ((4, 6, ""), ["a\n", "b\n", ""]),
    ],
)
@pytest.mark.parametrize("indent", [1, None])
def test_lines(edit: Edit, expected: list[str], indent: int | None) -> None:
    notebook = document(code_cell(["a\n", "b\n", "c"]), code_cell(["d"]))
    assert changed(notebook, edit, indent=indent) == expected


def test_a_line_behind_a_final_newline() -> None:
    assert changed(document(code_cell(["a\n"])), (2, 2, "b")) == ["a\n", "b"]


def test_a_single_string_stays_one() -> None:
    assert changed(document(code_cell("a\nb")), (2, 2, "c\n")) == "a\nc\nb"


def test_two_insertions_meet_at_the_start_of_a_cell() -> None:
    """The first takes in the newline between the cells, the second begins behind it."""
    notebook = read_notebook(json.dumps(document(code_cell(["a"]), code_cell(["b"])), indent=1))
    result = in_the_file(notebook, [(1, 2, "\nfirst\n"), (2, 2, "second\n")])
    assert code_of(json.loads(result)) == ["a", "first\nsecond\nb"]
    assert json.loads(result)["cells"][1]["source"] == ["first\n", "second\n", "b"]


def test_an_empty_cell_is_not_filled() -> None:
    source = from_text("/x.ipynb", json.dumps(document(code_cell([]), code_cell(["a"]))))
    with pytest.raises(UneditableText, match="empty cell"):
        source.file_edit(0, 0, "x")


def test_the_last_of_equal_keys_counts() -> None:
    text = json.dumps(document(code_cell(["LAST"]))).replace('"source"', '"source": ["first"], "source"')
    assert read_notebook(text).joined.written == "LAST\n"
    assert changed(text, (0, 4, "new")) == ["new"]


# -- files -------------------------------------------------------------------------------------------------


def test_a_source_knows_its_file() -> None:
    text = json.dumps(document(markdown_cell(["t"]), code_cell(["%who\n", "é = 1\n"])), indent=1)
    data = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
    source = decode("/x.ipynb", data)
    assert (source.text, source.python) == ("____\né = 1\n\n", "____\né = 1\n\n".encode())
    assert (source.file.data, source.file.lines.count) == (data, text.count("\n") + 1)
    assert source.line_as_written(1) == "%who"
    place, cell = source.place(5, 6)
    assert cell is not None
    assert (cell.number, cell.range.start.line, cell.range.start.column) == (2, 2, 1)
    line = next(i for i, one in enumerate(text.split("\n"), 1) if "u00e9" in one)
    assert (place.start.line, place.start.column, place.end.column) == (line, 6, 12)
    assert source.spliced([(9, 10, "2")]) == data.replace(b"= 1", b"= 2")


def test_python_for_elsewhere_is_searched_in_comments() -> None:
    text = json.dumps(document(code_cell(["%%python\n", "import a\r\n", "b"]), code_cell(["%%bash\n", "c"])))
    source = from_text("/x.ipynb", text)
    assert source.text == "________\n________\r\n_\n______\n_\n"
    assert source.python == source.text.encode() + b"# %%python\n# import a\n# b\n"


def test_a_new_letter_is_written_like_the_others() -> None:
    for ascii_only in (True, False):
        text = json.dumps(document(code_cell(["é = 1"])), ensure_ascii=ascii_only)
        result = in_the_file(read_notebook(text), [(4, 5, '"ü"')])
        assert result == text.replace("= 1", '= \\"\\u00fc\\"' if ascii_only else '= \\"ü\\"')


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "JSON is damaged .*line 1 column 1"),
        ("x = 1\n", "JSON is damaged"),
        ("[]", "its JSON is no object"),
        ("{}", "no list of cells"),
        ('{"cells": 1}', "no list of cells"),
        ('{"cells": [1]}', "cell 1 is no object"),
        ('{"cells": []} x', "JSON is damaged .Extra data"),
        (json.dumps({"cells": [{"cell_type": "code"}]}), "cell 1 has no source"),
        (json.dumps({"cells": [{"cell_type": "code", "source": [1]}]}), "cell 1 has no source"),
        (json.dumps({"cells": [{"cell_type": "code", "source": "\0"}]}), "NUL character in cell 1"),
        (json.dumps({"cells": [{"cell_type": "code", "source": "\ud83d"}]}), "lone surrogate"),
        (json.dumps({"worksheets": [], "nbformat": 3}), "old notebook format 3; open and save it"),
        ('{"metadata": ' + "[" * 100_000, "nested too deeply"),
        ('{"nbformat": ' + "1" * 5000, "Exceeds the limit"),
    ],
)
def test_files_that_are_no_notebooks(text: str, reason: str) -> None:
    with pytest.raises(UndecodableFile, match=reason):
        decode("/x.ipynb", text.encode())


def test_each_truncated_notebook_is_told() -> None:
    text = json.dumps(document(markdown_cell(["t"]), code_cell(["x = 1\n", "é"])), indent=1)
    assert read_notebook(text)
    for length in range(len(text)):
        with pytest.raises(NotebookError, match="damaged"):
            read_notebook(text[:length])


@pytest.mark.parametrize(
    "metadata",
    [{"language_info": {"name": "R"}}, {"kernelspec": {"language": "julia"}}],
)
def test_other_languages(metadata: dict[str, Any]) -> None:
    text = json.dumps(document(code_cell(["x <- 1"]), metadata=metadata))
    with pytest.raises(ForeignLanguage, match=r"holds (R|julia) code, not Python"):
        read_notebook(text)
    with pytest.raises(NoPythonNotebook):
        decode("/x.ipynb", text.encode())


@pytest.mark.parametrize(
    "metadata", [{}, {"kernelspec": None}, {"language_info": {"name": "ipython"}}, PYTHON]
)
def test_python_is_meant_unless_another_language_is_named(metadata: dict[str, Any]) -> None:
    assert read_notebook(json.dumps(document(code_cell("x"), metadata=metadata))).joined.text == "x\n"
