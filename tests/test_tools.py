"""The tools that tests need are there and start; what is missing is said."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import quick
import tools
from node_tools import GITHUB_API, node_package, node_program

PROGRAMS = ("sarif-multitool", "rdformat-validator", "playwright-core")
FILES = (node_package("@microsoft/jest-sarif") / "lib/schemas/sarif-2.1.0-rtm.5.json", GITHUB_API)


@pytest.mark.needs("node")
@pytest.mark.parametrize("name", PROGRAMS)
def test_npm_programs_start(name: str) -> None:
    done = subprocess.run([node_program(name), "--version"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert re.search(r"\d+\.\d+\.\d+", done.stdout + done.stderr)


@pytest.mark.needs("node")
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_npm_files_are_there(file: Path) -> None:
    assert file.is_file()


def test_a_missing_tool_is_said() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(tools.TOOLS, "nothing", tools.Tool("no tests", "found nothing", lambda: False))
        assert tools.left_out(["nothing"]) == ["LEFT OUT: no tests (found nothing)"]


TESTS = Path(__file__).parent
ONE_OF_EACH_KIND = """\
import pytest

def test_quick():
    pass

@pytest.mark.needs("git")
def test_quick_with_git():
    pass

@pytest.mark.long
def test_long():
    pass

@pytest.mark.needs("chromium")
def test_in_a_browser():
    pass

def test_that_runs_scripts(worlds):
    pass
"""


def collected(*words: str | Path) -> list[str]:
    """What a quick run would run, and what it says."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--collect-only", "--quick", *words]
    search = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent)])}
    return subprocess.run(command, env=search, capture_output=True, text=True).stdout.splitlines()


@pytest.mark.needs("git")
def test_the_quick_run_leaves_out_what_takes_long_and_says_so(tmp_path: Path) -> None:
    file = tmp_path / "test_one.py"
    file.write_text(ONE_OF_EACH_KIND, encoding="utf-8")
    said = collected("-p", "conftest", "--rootdir", tmp_path, "-q", file)
    tests = [line.rpartition("::")[2] for line in said if "::" in line]
    assert tests == ["test_quick", "test_quick_with_git"]
    assert [line for line in said if line.startswith("LEFT OUT")] == quick.left_out_by_quick()


def test_the_quick_run_leaves_out_folders() -> None:
    """They are there, so that a folder with another name is noticed."""
    folders = [TESTS / "robustness", TESTS / "integration"]
    assert all(any(folder.glob("test_*.py")) for folder in folders)
    assert [line for line in collected("-q", *folders) if "::" in line] == []
