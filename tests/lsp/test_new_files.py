"""Fixes that add a module to the project: what an editor is offered, and what it makes of that."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import folder_with, tool
from editor import capabilities, editor
from fidelity import read_tree
from lsprotocol import types
from scripts import ITERATOR

pytestmark = pytest.mark.asyncio

FIX_ALL = "source.fixAll.npuMigrate"
MODULE = "first_use_iterator.py"
SETTINGS = '[tool.npu-migrate]\ninitialize = "first-use"\n'
FILES = {"train.py": ITERATOR, "evaluate.py": ITERATOR, "pyproject.toml": SETTINGS}


def project(folder: Path) -> Path:
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
    return folder


async def test_a_fix_makes_the_file_that_the_command_line_makes(tmp_path: Path) -> None:
    folder = project(tmp_path)
    with folder_with({name: text.encode() for name, text in FILES.items()}) as other:
        tool(".", "--write")
        written = read_tree(other)
    async with editor(folder) as one:
        uri = one.open(folder / "train.py")
        found = await one.found(uri)
        action = (await one.actions(uri, found[0].range))[0]
        edit = await one.edit_of(action)
        assert isinstance((edit.document_changes or [])[0], types.CreateFile)
        one.apply(edit)
        assert one.texts[uri].text.encode() == written["train.py"]
        assert (folder / MODULE).read_bytes() == written[MODULE]


async def test_a_second_fix_uses_the_file_that_is_there(tmp_path: Path) -> None:
    folder = project(tmp_path)
    with folder_with({name: text.encode() for name, text in FILES.items()}) as other:
        tool("train.py", "--write")
        (folder / MODULE).write_bytes((other / MODULE).read_bytes())
    async with editor(folder) as one:
        uri = one.open(folder / "evaluate.py")
        (action,) = await one.actions(uri, only=[FIX_ALL])
        edit = await one.edit_of(action)
        assert not any(isinstance(change, types.CreateFile) for change in edit.document_changes or [])
        one.apply(edit)
        assert "import first_use_iterator" in one.texts[uri].text
        assert await one.codes(uri) == []


@pytest.mark.parametrize(("versioned", "creates"), [(True, False), (False, True)])
async def test_who_cannot_make_files_is_not_offered_it(
    versioned: bool, creates: bool, tmp_path: Path
) -> None:
    folder = project(tmp_path)
    able = capabilities(versioned=versioned, creates=creates)
    async with editor(folder, able=able) as one:
        uri = one.open(folder / "train.py")
        found = await one.found(uri)
        titles = [action.title for action in await one.actions(uri, found[0].range)]
        assert titles == ["Disable NPU101 for this line"]
