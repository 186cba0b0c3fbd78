"""Notebooks in an editor: their cells are documents of their own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import folder_with, tool
from editor import Editor, Text, editor
from lsprotocol import types
from scripts import project

pytestmark = [pytest.mark.asyncio, pytest.mark.long]

CELLS = (
    "import tensorflow as tf\n%matplotlib inline",
    "dataset = tf.data.Dataset.range(8).batch(2, drop_remainder=True)\n"
    "名 = '😀'; iterator = dataset.make_one_shot_iterator()\nbatch = iterator.get_next()",
    "with tf.Session() as sess:\n    print(sess.run(batch))",
)


def as_file(cells: tuple[str, ...]) -> str:
    """The notebook as Jupyter saves it."""
    code = [
        {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": text}
        for text in cells
    ]
    about = {"language_info": {"name": "python"}}
    return json.dumps({"cells": code, "metadata": about, "nbformat": 4, "nbformat_minor": 5}, indent=1)


def open_notebook(one: Editor, path: Path, cells: tuple[str, ...] = CELLS) -> list[str]:
    """Open a notebook; returns the names of its cells."""
    uris = [f"vscode-notebook-cell:{path}#W{number}" for number in range(len(cells))]
    kind = types.NotebookCellKind.Code
    notebook = types.NotebookDocument(
        path.as_uri(), "jupyter-notebook", 1, [types.NotebookCell(kind, uri) for uri in uris]
    )
    texts = [types.TextDocumentItem(uri, "python", 1, text) for uri, text in zip(uris, cells, strict=True)]
    one.texts |= {text.uri: Text(1, text.text) for text in texts}
    one.client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(notebook, texts))
    return uris


def change(one: Editor, path: Path, cells: types.NotebookDocumentCellChanges) -> None:
    one.client.notebook_document_did_change(
        types.DidChangeNotebookDocumentParams(
            types.VersionedNotebookDocumentIdentifier(version=2, uri=path.as_uri()),
            types.NotebookDocumentChangeEvent(cells=cells),
        )
    )


def write(one: Editor, path: Path, uri: str, text: str) -> None:
    """Replace the text of a cell."""
    version = one.texts[uri].version + 1
    one.texts[uri] = Text(version, text)
    document = types.VersionedTextDocumentIdentifier(version=version, uri=uri)
    whole = types.TextDocumentContentChangeWholeDocument(text)
    content = types.NotebookDocumentCellContentChanges(document, [whole])
    change(one, path, types.NotebookDocumentCellChanges(text_content=[content]))


async def test_a_finding_is_told_of_its_cell(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.ipynb": as_file(CELLS)})
    path = folder / "train.ipynb"
    async with editor(folder) as one:
        first, second, third = open_notebook(one, path)
        (found,) = await one.found(second)
        assert one.text_at(second, found.range) == "make_one_shot_iterator"
        assert await one.found(first) == await one.found(third) == []
        write(one, path, third, "with tf.Session() as sess:\n    print((")
        assert await one.codes(third) == ["NPU901"]
        assert await one.codes(second) == ["NPU101"]
        write(one, path, third, CELLS[2])
        assert await one.codes(third) == []


async def test_fixes_are_edits_of_cells_and_give_what_the_command_line_writes(tmp_path: Path) -> None:
    with folder_with({"train.ipynb": as_file(CELLS).encode()}):
        tool("--write", "--no-cache", "train.ipynb")
        written = json.loads(Path("train.ipynb").read_text("utf-8"))
    expected = ["".join(cell["source"]) for cell in written["cells"]]
    assert expected != list(CELLS)
    folder = project(tmp_path, {"train.ipynb": as_file(CELLS)})
    async with editor(folder) as one:
        uris = open_notebook(one, folder / "train.ipynb")
        await one.found(uris[1])
        titles = [action.title for action in await one.actions(uris[1])]
        assert "Disable NPU101 for this line" in titles
        (action,) = await one.actions(uris[1], only=["source.fixAll"])
        edit = await one.edit_of(action)
        assert edit.document_changes is not None
        for each in edit.document_changes:
            assert isinstance(each, types.TextDocumentEdit)
            assert each.text_document.version == 1
            edits = [one_edit for one_edit in each.edits if isinstance(one_edit, types.TextEdit)]
            uri = each.text_document.uri
            write(one, folder / "train.ipynb", uri, one.edited(one.texts[uri].text, edits))
        assert [one.texts[uri].text for uri in uris] == expected
        await one.until_codes(uris[1])


async def test_cells_come_and_go(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.ipynb": as_file(CELLS)})
    path = folder / "train.ipynb"
    async with editor(folder) as one:
        first, second, third = open_notebook(one, path)
        assert await one.codes(second) == ["NPU101"]
        gone = types.NotebookDocumentCellChangeStructure(
            types.NotebookCellArrayChange(start=1, delete_count=1),
            did_close=[types.TextDocumentIdentifier(second)],
        )
        change(one, path, types.NotebookDocumentCellChanges(structure=gone))
        await one.until_codes(second)
        moved = types.NotebookCell(types.NotebookCellKind.Code, "cell:new")
        one.texts["cell:new"] = Text(1, CELLS[1])
        back = types.NotebookDocumentCellChangeStructure(
            types.NotebookCellArrayChange(start=1, delete_count=0, cells=[moved]),
            did_open=[types.TextDocumentItem("cell:new", "python", 1, CELLS[1])],
        )
        change(one, path, types.NotebookDocumentCellChanges(structure=back))
        await one.until_codes("cell:new", "NPU101")
        notebook = types.NotebookDocumentIdentifier(path.as_uri())
        cells = [types.TextDocumentIdentifier(uri) for uri in (first, "cell:new", third)]
        one.client.notebook_document_did_close(types.DidCloseNotebookDocumentParams(notebook, cells))
        await one.until_codes("cell:new")


async def test_a_notebook_imports_the_files_beside_it(tmp_path: Path) -> None:
    cells = (
        "from npu_bridge.npu_init import *\nimport settings",
        "config = NPURunConfig(iterations_per_loop=settings.LOOP, save_checkpoints_steps=100)\n"
        "estimator = NPUEstimator(model_fn=model_fn, config=config)",
    )
    folder = project(tmp_path, {"train.ipynb": as_file(cells), "settings.py": "LOOP = 30\n"})
    async with editor(folder) as one:
        _, second = open_notebook(one, folder / "train.ipynb", cells)
        settings = one.open(folder / "settings.py")
        await one.until_codes(second, "NPU104", "NPU203")
        latest = one.latest(second)
        assert latest is not None and latest.diagnostics[1].related_information
        assert latest.diagnostics[1].related_information[0].location.uri == settings
        one.replace(settings, "30", "50")
        await one.until_codes(second, "NPU104")


async def test_the_file_itself_can_be_edited_too(tmp_path: Path) -> None:
    """As editors do that know nothing of notebooks."""
    text = as_file(CELLS)
    with folder_with({"train.ipynb": text.encode()}):
        tool("--write", "--no-cache", "train.ipynb")
        expected = Path("train.ipynb").read_text("utf-8")
    folder = project(tmp_path, {"train.ipynb": text})
    async with editor(folder) as one:
        uri = one.open(folder / "train.ipynb")
        (found,) = await one.found(uri)
        assert one.text_at(uri, found.range) == "make_one_shot_iterator"
        (action,) = await one.actions(uri, only=["source.fixAll"])
        one.apply(await one.edit_of(action))
        assert one.texts[uri].text == expected
        assert await one.codes(uri) == []


async def test_a_notebook_that_was_never_saved(tmp_path: Path) -> None:
    async with editor(tmp_path) as one:
        uris = [f"cell:{number}" for number in range(3)]
        notebook = types.NotebookDocument(
            "untitled:Untitled-1.ipynb",
            "jupyter-notebook",
            1,
            [types.NotebookCell(types.NotebookCellKind.Code, uri) for uri in uris],
        )
        texts = [
            types.TextDocumentItem(uri, "python", 1, text) for uri, text in zip(uris, CELLS, strict=True)
        ]
        one.texts |= {text.uri: Text(1, text.text) for text in texts}
        one.client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(notebook, texts))
        assert await one.codes("cell:1") == ["NPU101"]
