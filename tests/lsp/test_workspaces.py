"""Folders, settings, and documents that lie anywhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from editor import Editor, capabilities, editor
from lsprotocol import types
from scripts import ITERATOR, LOOP, project

pytestmark = [pytest.mark.asyncio, pytest.mark.long]


async def test_each_document_belongs_to_its_own_project(tmp_path: Path) -> None:
    first = project(tmp_path / "one", {"train.py": LOOP, "settings.py": "LOOP = 30\n"})
    second = project(tmp_path / "two", {"train.py": LOOP, "settings.py": "LOOP = 50\n"})
    async with editor(first, second) as one:
        assert await one.codes(one.open(first / "train.py")) == ["NPU104", "NPU203"]
        assert await one.codes(one.open(second / "train.py")) == ["NPU104"]


async def test_folders_come_and_go(tmp_path: Path) -> None:
    """Without a project file the workspace folder is the project: only there the import is found."""
    (tmp_path / "work" / "scripts").mkdir(parents=True)
    (tmp_path / "work" / "settings.py").write_text("LOOP = 30\n")
    (tmp_path / "work" / "scripts" / "train.py").write_text(
        f"import sys, os\nsys.path.insert(0, os.path.join(os.path.dirname(__file__), '..'))\n{LOOP}"
    )
    folder = types.WorkspaceFolder((tmp_path / "work").as_uri(), "work")
    async with editor() as one:
        uri = one.open(tmp_path / "work" / "scripts" / "train.py")
        assert await one.codes(uri) == []
        change_folders(one, added=[folder])
        await one.until_codes(uri, "NPU104", "NPU203")
        change_folders(one, removed=[folder])
        await one.until_codes(uri)


def change_folders(
    one: Editor,
    added: list[types.WorkspaceFolder] | None = None,
    removed: list[types.WorkspaceFolder] | None = None,
) -> None:
    event = types.WorkspaceFoldersChangeEvent(added or [], removed or [])
    one.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))


async def test_the_project_file_is_followed_and_an_error_in_it_shown_once(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.py": ITERATOR})
    settings = folder / "pyproject.toml"
    async with editor(folder) as one:
        uri = one.open(folder / "train.py")
        await one.until_codes(uri, "NPU101")
        settings.write_text('[tool.npu-migrate]\nignore = ["NPU101"]\n')
        one.changed_on_disk(settings)
        await one.until_codes(uri)
        settings.write_text('[tool.npu-migrate]\nignored = ["NPU101"]\n')
        one.changed_on_disk(settings)
        await one.until_codes(uri, "NPU101")
        one.changed_on_disk(settings)
        one.write(uri, ITERATOR + "\n")
        await one.found(uri)
        (message,) = one.client.messages
        assert "tool.npu-migrate.ignored is unknown; did you mean ignore?" in message.message
        assert message.type is types.MessageType.Warning
        settings.write_text('[tool.npu-migrate]\nexclude = ["train.py"]\n')
        one.changed_on_disk(settings)
        await one.until_codes(uri)


@pytest.mark.parametrize("name", ["old/train.py", "venv/lib/site-packages/tf/train.py", "node_modules/a.py"])
async def test_what_nobody_maintains_gets_no_findings(tmp_path: Path, name: str) -> None:
    folder = project(tmp_path, {name: ITERATOR})
    (folder / "pyproject.toml").write_text('[tool.npu-migrate]\nexclude = ["old/"]\n')
    async with editor(folder) as one:
        uri = one.open(folder / name)
        assert await one.codes(uri) == []
        one.write(uri, ITERATOR + "\n")
        assert await one.codes(uri) == []


async def test_settings_of_the_editor(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.py": LOOP, "settings.py": "LOOP = 30\n"})
    options = {"ignore": "NPU104", "documentation": "https://example.org/docs/", "debounce": -1, "other": 1}
    async with editor(folder, options=options) as one:
        (found,) = await one.found(one.open(folder / "train.py"))
        assert found.code == "NPU203"
        assert found.code_description is not None
        assert found.code_description.href == "https://example.org/docs/rules/NPU203/"
        (message,) = one.client.messages
        assert "npuMigrate.debounce must be a number of milliseconds from 0 to 60000" in message.message


async def test_settings_are_asked_for_and_followed(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.py": ITERATOR})
    able = capabilities(configures=True)
    async with editor(folder, able=able, settings={"enable": False, "path": ""}) as one:
        uri = one.open(folder / "train.py")
        set_to(one, {"enable": True, "select": ["NPU1"]})
        await one.until_codes(uri, "NPU101")
        set_to(one, {"enable": False})
        await one.until_codes(uri)
        assert await one.actions(uri) == []
        one.replace(uri, "title = ", "subtitle = ")
        set_to(one, {"enable": True, "ignore": ["NPU1"]})
        await one.until(lambda: (told := one.latest(uri)) is not None and told.version == 2)
        assert await one.codes(uri) == []
        assert "npu-migrate-settings" in [each.id for each in one.registered]
        set_to(one, {"select": ["NPU77"]})
        await one.until(lambda: bool(one.client.messages))
        assert "NPU77" in one.client.messages[0].message


def set_to(one: Editor, settings: dict[str, object]) -> None:
    one.client.set_configuration({"npuMigrate": settings})
    one.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))


async def test_settings_that_are_sent(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.py": ITERATOR})
    async with editor(folder) as one:
        uri = one.open(folder / "train.py")
        await one.until_codes(uri, "NPU101")
        params = types.DidChangeConfigurationParams({"npuMigrate": {"ignore": ["NPU101"]}})
        one.client.workspace_did_change_configuration(params)
        await one.until_codes(uri)


async def test_a_text_without_a_file(tmp_path: Path) -> None:
    async with editor(tmp_path) as one:
        first, second = one.open("untitled:Untitled-1", ITERATOR), one.open("untitled:迭 2", "x = 1\n")
        assert await one.codes(first) == ["NPU101"]
        assert await one.codes(second) == []
        (action,) = await one.actions(first, only=["source.fixAll"])
        one.apply(await one.edit_of(action))
        assert await one.codes(first) == []
        one.write(second, "import tensorflow as tf\nif tf.data.make_one_shot_iterator(:\n")
        assert await one.codes(second) == ["NPU901"]


async def test_a_new_file_counts_before_it_is_saved(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.py": LOOP})
    async with editor(folder) as one:
        train = one.open(folder / "train.py")
        assert await one.codes(train) == []
        settings = one.open(folder / "settings.py", "LOOP = 30\n")
        await one.until_codes(train, "NPU104", "NPU203")
        one.close(settings)
        await one.until_codes(train)


async def test_one_file_under_two_names(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.py": ITERATOR})
    (folder / "link.py").symlink_to(folder / "train.py")
    async with editor(folder) as one:
        train, link = one.open(folder / "train.py"), one.open(folder / "link.py")
        await one.until_codes(train, "NPU101")
        await one.until_codes(link, "NPU101")
        twin = one.open(train.replace("train", "t%72ain"), ITERATOR)
        await one.until_codes(twin, "NPU101")
        one.write(twin, "# 1\n" + ITERATOR)
        assert await one.codes(twin) == ["NPU101"]
        latest = one.latest(train)
        assert latest is not None
        assert [one.text_at(train, told.range) for told in latest.diagnostics] == ["make_one_shot_iterator"]
        one.close(twin)
        assert await one.codes(train) == ["NPU101"]


async def test_other_languages_and_places_are_no_concern(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.py": ITERATOR})
    async with editor(folder) as one:
        item = types.TextDocumentItem((folder / "notes.txt").as_uri(), "plaintext", 1, ITERATOR)
        one.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        one.open("git:/train.py?HEAD", ITERATOR)
        assert await one.codes(one.open(folder / "train.py")) == ["NPU101"]
        assert {told.uri for told in one.told} == {(folder / "train.py").as_uri()}


@pytest.mark.parametrize("marker", ["", ".git"])
async def test_neither_a_disk_nor_home_is_a_project(
    tmp_path: Path, marker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file in home is judged alone, and one in a folder there with that folder."""
    home = tmp_path / "home"
    project(home, {"train.py": LOOP, "settings.py": "LOOP = 30\n"})
    project(home / "work", {"train.py": LOOP, "settings.py": "LOOP = 30\n"})
    for folder in (home, home / "work"):
        (folder / "pyproject.toml").unlink()
    if marker:
        (home / marker).mkdir()
    monkeypatch.setenv("HOME", str(home))
    async with editor(home, Path("/")) as one:
        assert await one.codes(one.open(home / "train.py")) == []
        assert await one.codes(one.open(home / "work" / "train.py")) == ["NPU104", "NPU203"]
