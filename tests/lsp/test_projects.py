"""What happens to the files around the open ones, as Git, other programs and other windows make it happen."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from editor import capabilities, editor
from lsprotocol import types
from scripts import ITERATOR, LOOP, project
from test_desk import codes, content, desk, never

from npu_migrate.lsp.judging.change import Change
from npu_migrate.lsp.judging.desk import Desk
from npu_migrate.lsp.texts.documents import Content

IN_A_PACKAGE = LOOP.replace("import settings", "from sub import settings")
DIVIDES, DOES_NOT = "LOOP = 50\n", "LOOP = 30\n"
PACKAGE = {"train.py": IN_A_PACKAGE, "sub/__init__.py": "", "sub/settings.py": DIVIDES}


def opened(folder: Path, name: str = "train.py") -> Desk:
    """A desk on which one file lies, about which one thing is found."""
    path = folder / name
    one = desk(folder)
    (found,) = one.judge(Change({str(path): content(path, path.read_text())}), never())
    assert codes(found) == ["NPU104"]
    return one


def found_after(
    one: Desk, *on_disk: Path, contents: dict[str, Content | None] | None = None, look: bool = False
) -> dict[str, list[str]]:
    change = Change(contents or {}, frozenset(map(str, on_disk)), look=look)
    return {Path(found.key).name: codes(found) for found in one.judge(change, never())}


@pytest.mark.parametrize("other", ["new.py", "pyproject.toml", "setup.py", ".gitignore", "settings.py"])
@pytest.mark.parametrize("look", [False, True])
def test_files_that_change_with_what_a_project_is(tmp_path: Path, other: str, look: bool) -> None:
    folder = project(tmp_path, {"train.py": LOOP, "settings.py": DIVIDES})
    one = opened(folder)
    (folder / other).write_text("\n")
    (folder / "settings.py").write_text(DOES_NOT)
    on_disk = () if look else (folder / other, folder / "settings.py")
    assert found_after(one, *on_disk, look=look) == {"train.py": ["NPU104", "NPU203"]}


@pytest.mark.parametrize("look", [False, True])
def test_files_that_change_while_the_editor_is_configured(tmp_path: Path, look: bool) -> None:
    folder = project(tmp_path, {"train.py": LOOP, "settings.py": DIVIDES})
    one = opened(folder)
    (folder / "settings.py").write_text(DOES_NOT)
    one.configure([str(folder)], lambda found: found)
    on_disk = () if look else (folder / "settings.py",)
    assert found_after(one, *on_disk, look=look) == {"train.py": ["NPU104", "NPU203"]}


def test_a_script_that_imports_the_graph_of_an_open_one(tmp_path: Path) -> None:
    """The open text is judged anew when another script begins to run its graph, in the editor or on disk."""
    train = ITERATOR + '    tf.train.Saver().save(sess, "model")\n'
    folder = project(tmp_path, {"train.py": train, "resume.py": "import tensorflow as tf\n", "idle.py": ""})
    resume = folder / "resume.py"
    one = desk(folder)
    assert fixes(one, {str(folder / "train.py"): content(folder / "train.py", train)}) == {
        "train.py": ["safe"]
    }
    imports = "import tensorflow as tf\ntf.train.import_meta_graph('model.meta')\n"
    runs = imports + "sess = tf.Session()\nprint(sess.run('y:0'))\n"
    for text, expected in ((runs, "unsafe"), (imports, "safe"), (runs, "unsafe")):
        assert fixes(one, {str(resume): content(resume, text)})["train.py"] == [expected]
    other = runs.replace("model.meta", "other.meta")
    assert fixes(one, {str(resume): content(resume, other)})["train.py"] == ["safe"]
    assert fixes(one, {str(resume): content(resume, runs)})["train.py"] == ["unsafe"]
    assert fixes(one, {str(resume): None})["train.py"] == ["safe"]
    resume.write_text(runs)
    assert fixes(one, {}, resume) == {"train.py": ["unsafe"]}
    resume.unlink()
    assert fixes(one, {}, resume) == {"train.py": ["safe"]}
    (folder / "idle.py").write_text("x = 1\n")
    assert fixes(one, {}, folder / "idle.py") == {}


def fixes(one: Desk, contents: dict[str, Content | None], *on_disk: Path) -> dict[str, list[str]]:
    change = Change(contents, frozenset(map(str, on_disk)))
    return {
        Path(found.key).name: [
            said.diagnostic.fix.applicability.value for said in found.diagnosed if said.diagnostic.fix
        ]
        for found in one.judge(change, never())
    }


def test_two_hundred_files_of_another_branch(tmp_path: Path) -> None:
    names = [f"package/module{number}.py" for number in range(200)]
    files = {"train.py": LOOP, "settings.py": DIVIDES, **dict.fromkeys(names, ITERATOR)}
    folder = project(tmp_path, files)
    one = opened(folder)
    for number, name in enumerate(names):
        if number % 3:
            (folder / name).write_text("LOOP = 3\n")
        else:
            (folder / name).unlink()
    (folder / "settings.py").write_text("from package.module1 import LOOP\n")
    changed = [folder / name for name in (*names, "settings.py")]
    assert found_after(one, *changed) == {"train.py": ["NPU104", "NPU203"]}


@pytest.mark.parametrize("marker", ["setup.py", "pyproject.toml"])
class TestProjectInAProject:
    """A file belongs to the inner project, and is part of the outer one all the same."""

    def test_it_changes_on_disk(self, tmp_path: Path, marker: str) -> None:
        folder = project(tmp_path, {**PACKAGE, f"sub/{marker}": ""})
        one, settings = opened(folder), folder / "sub" / "settings.py"
        settings.write_text(DOES_NOT)
        assert found_after(one, settings) == {"train.py": ["NPU104", "NPU203"]}
        settings.unlink()
        assert found_after(one, settings) == {"train.py": []}

    def test_it_changes_in_the_editor(self, tmp_path: Path, marker: str) -> None:
        folder = project(tmp_path, {**PACKAGE, f"sub/{marker}": ""})
        one, settings = opened(folder), folder / "sub" / "settings.py"
        key = str(settings)
        both = {"train.py": ["NPU104", "NPU203"], "settings.py": []}
        assert found_after(one, contents={key: content(settings, DOES_NOT)}) == both
        assert found_after(one, contents={key: None}) == {"train.py": ["NPU104"]}
        assert found_after(one, contents={key: content(settings, DOES_NOT)}) == both

    def test_it_is_not_saved_yet(self, tmp_path: Path, marker: str) -> None:
        folder = project(tmp_path, {"train.py": IN_A_PACKAGE, "sub/__init__.py": "", f"sub/{marker}": ""})
        train, settings = folder / "train.py", folder / "sub" / "settings.py"
        contents = {
            str(path): content(path, text) for path, text in ((settings, DOES_NOT), (train, IN_A_PACKAGE))
        }
        assert found_after(desk(folder), contents=contents) == {
            "train.py": ["NPU104", "NPU203"],
            "settings.py": [],
        }

    def test_it_becomes_one(self, tmp_path: Path, marker: str) -> None:
        folder = project(tmp_path, PACKAGE)
        one, settings = opened(folder), folder / "sub" / "settings.py"
        assert found_after(one, contents={str(settings): content(settings, DIVIDES)})["settings.py"] == []
        (folder / "sub" / marker).touch()
        assert found_after(one, folder / "sub" / marker) == {"train.py": ["NPU104"], "settings.py": []}
        contents: dict[str, Content | None] = {str(settings): content(settings, DOES_NOT)}
        assert found_after(one, contents=contents) == {"train.py": ["NPU104", "NPU203"], "settings.py": []}


def test_a_folder_is_removed_and_comes_back(tmp_path: Path) -> None:
    """Some editors tell of the folder only."""
    folder = project(tmp_path, PACKAGE)
    one = opened(folder)
    shutil.rmtree(folder / "sub")
    assert found_after(one, folder / "sub") == {"train.py": []}
    project(folder, {**PACKAGE, "sub/settings.py": DOES_NOT})
    assert found_after(one, folder / "sub" / "settings.py") == {"train.py": ["NPU104", "NPU203"]}


def test_files_that_no_project_has_are_passed_over(tmp_path: Path) -> None:
    """Programs that write such files all the time leave the projects alone."""
    folder = project(
        tmp_path, {"train.py": LOOP, "settings.py": DIVIDES, ".gitignore": "build/\nlocal_*.py\n"}
    )
    (folder / "node_modules").mkdir()
    project(folder, {"build/lib/a.py": ITERATOR, "local_a.py": ITERATOR, "node_modules/a.py": ITERATOR})
    one = opened(folder)
    written = [folder / name for name in ("build/lib/a.py", "local_a.py", "node_modules/a.py", "checkpoint")]
    assert found_after(one, *written) == {}


@pytest.mark.asyncio
async def test_the_baseline_is_followed(tmp_path: Path) -> None:
    folder = project(
        tmp_path, {"train.py": "", "pyproject.toml": '[tool.npu-migrate]\nbaseline = "accepted"\n'}
    )
    accept_all(folder)
    (folder / "train.py").write_text(ITERATOR)
    async with editor(folder) as one:
        uri = one.open(folder / "train.py")
        await one.until_codes(uri, "NPU101")
        assert f"{folder}/accepted" in set(watched(one.registered))
        accept_all(folder)
        one.changed_on_disk(folder / "accepted")
        await one.until_codes(uri)
        assert one.client.messages == []


def accept_all(folder: Path) -> None:
    command = [sys.executable, "-m", "npu_migrate", "--write-baseline", "accepted", "."]
    subprocess.run(command, cwd=folder, check=True)


@pytest.mark.asyncio
async def test_removed_folders_are_asked_for(tmp_path: Path) -> None:
    async with editor(project(tmp_path, PACKAGE), able=capabilities()) as one:
        uri = one.open(tmp_path / "train.py")
        await one.until_codes(uri, "NPU104")
        assert "**" in set(watched(one.registered))
        shutil.rmtree(tmp_path / "sub")
        one.changed_on_disk(tmp_path / "sub", kind=types.FileChangeType.Deleted)
        await one.until_codes(uri)


def watched(registrations: Iterable[types.Registration]) -> Iterable[str]:
    """The patterns of the files that an editor was asked to watch."""
    for one in registrations:
        options = one.register_options
        if one.method == types.WORKSPACE_DID_CHANGE_WATCHED_FILES:
            watchers = options["watchers"] if isinstance(options, dict) else options.watchers
            for watcher in watchers:
                yield str(watcher["globPattern"] if isinstance(watcher, dict) else watcher.glob_pattern)
