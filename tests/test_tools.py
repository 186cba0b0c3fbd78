"""The tools that tests need are there and start; what is missing is said."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
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
