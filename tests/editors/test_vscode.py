"""The VS Code extension: its own checks and tests, and the package that people install."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from node_tools import VSCODE

import npu_migrate
from npu_migrate.lsp.session.options import options_from

REPOSITORY = Path(__file__).resolve().parents[2]
EXTENSION = REPOSITORY / "editors" / "vscode"
MANIFEST: dict[str, Any] = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the extension with the installed packages: nothing is built in the repository."""
    folder = tmp_path_factory.mktemp("vscode") / "extension"
    shutil.copytree(EXTENSION, folder, ignore=shutil.ignore_patterns("node_modules", "dist", "out", "*.vsix"))
    (folder / "node_modules").symlink_to(VSCODE / "node_modules")
    return folder


def npm(script: str, folder: Path) -> str:
    """What the script prints. The extension's tests start the language server with this Python."""
    done = subprocess.run(
        ["npm", "run", "--silent", script],
        cwd=folder,
        env={**os.environ, "NPU_MIGRATE_PYTHON": sys.executable},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.needs("vscode")
def test_types_and_style(copy: Path) -> None:
    assert npm("check", copy) == ""


@pytest.mark.needs("vscode")
def test_its_own_tests(copy: Path) -> None:
    output = npm("test", copy)
    counts = {
        name: int(count)
        for name, count in re.findall(r"^\S+ (pass|fail|skipped) (\d+)$", output, re.MULTILINE)
    }
    assert counts["pass"] > 20
    assert counts == {"pass": counts["pass"], "fail": 0, "skipped": 0}


@pytest.fixture(scope="module")
def package(copy: Path) -> Iterator[ZipFile]:
    npm("package", copy)
    with ZipFile(copy / "npu-migrate.vsix") as archive:
        yield archive


@pytest.mark.needs("vscode")
def test_the_package_holds_what_is_needed_and_no_more(package: ZipFile) -> None:
    assert package.testzip() is None
    assert sorted(package.namelist()) == [
        "[Content_Types].xml",
        "extension.vsixmanifest",
        "extension/LICENSE.txt",
        "extension/changelog.md",
        "extension/dist/extension.js",
        "extension/icon.png",
        "extension/package.json",
        "extension/readme.md",
    ]


@pytest.mark.needs("vscode")
def test_the_package_has_the_commands_of_its_manifest(package: ZipFile) -> None:
    packed = json.loads(package.read("extension/package.json"))
    assert packed == MANIFEST
    main = package.read("extension/" + packed["main"].removeprefix("./")).decode()
    for command in packed["contributes"]["commands"]:
        assert f'"{command["command"]}"' in main


def test_the_manifest() -> None:
    assert MANIFEST["version"] == npu_migrate.__version__
    assert MANIFEST["capabilities"]["untrustedWorkspaces"]["supported"] is False
    commands = {command["command"] for command in MANIFEST["contributes"]["commands"]}
    named = [item["command"] for items in MANIFEST["contributes"]["menus"].values() for item in items]
    assert set(named) <= commands
    # What VS Code offers must be in the oldest VS Code that the extension takes.
    assert MANIFEST["engines"]["vscode"] == f"^{MANIFEST['devDependencies']['@types/vscode']}"


def test_the_readme_names_every_setting_and_command() -> None:
    text = (EXTENSION / "README.md").read_text(encoding="utf-8")
    contributes = MANIFEST["contributes"]
    documented = re.findall(r"^\| `(npuMigrate\.[\w.]+)` \| (?:`(.*?)`)? *\|", text, re.MULTILINE)
    declared = {
        name: json.dumps(setting["default"]).strip('"')
        for name, setting in contributes["configuration"]["properties"].items()
    }
    assert dict(documented) == declared
    titles = re.findall(r"^\| npu-migrate: ([^|]+) \|", text, re.MULTILINE)
    assert sorted(titles) == sorted(command["title"] for command in contributes["commands"])


def test_the_server_knows_the_settings_that_are_its_own() -> None:
    own = {f"npuMigrate.{name}" for name in ("path", "interpreter", "args", "trace.server")}
    for name, setting in MANIFEST["contributes"]["configuration"]["properties"].items():
        word = name.removeprefix("npuMigrate.")
        if name not in own:
            assert options_from({word: setting["default"]}, lambda settings: None)[1] == ()
            assert options_from({word: {}}, lambda settings: None)[1] != (), f"the server ignores {name}"


def test_the_lock_file_names_no_registry() -> None:
    page = Path(__file__).with_name("vscode_page")
    for lock in (EXTENSION, REPOSITORY / "tests" / "node", page):
        packages = json.loads((lock / "package-lock.json").read_text(encoding="utf-8"))["packages"]
        assert [name for name, package in packages.items() if "resolved" in package] == []
        assert [name for name, package in packages.items() if name and "integrity" not in package] == []


def test_the_licence_is_the_same() -> None:
    assert (EXTENSION / "LICENSE").read_bytes() == (REPOSITORY / "LICENSE").read_bytes()
