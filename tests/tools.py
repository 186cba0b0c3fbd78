"""What tests need besides Python. A test says ``@pytest.mark.needs("node")``; on a machine without that tool
it is not collected, and the run says LEFT OUT (`conftest.py`; `run.py` before the tests)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from node_tools import NODE, VSCODE, VSCODE_PAGE

if TYPE_CHECKING:
    import pytest

TESTS = NODE.parent / "tests"
"""The environment that `run.py` starts the tests with."""


class Tool(NamedTuple):
    """Something to run: what is left out without it, why, and how to find out that it is there."""

    tests: str
    missing: str
    is_there: Callable[[], bool]


def prepared(folder: Path) -> bool:
    """Whether `tests/run.py` has installed the npm packages of that folder below .cache/."""
    return (folder / "prepared").is_file()


def has_atheris() -> bool:
    """Whether it is installed for this Python, or for the one that `tests/run.py` starts the tests with."""
    return find_spec("atheris") is not None or any(TESTS.glob("lib/python*/site-packages/atheris"))


def may_mount() -> bool:
    """Whether a file system in memory can be mounted."""
    if os.name != "posix" or os.geteuid() != 0 or shutil.which("mount") is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        mounted = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], capture_output=True)
        return mounted.returncode == 0 and subprocess.run(["umount", folder]).returncode == 0


def has_neovim() -> bool:
    """Whether Neovim is beside this Python or the one of the tests, or on the search path."""
    folders = [str(Path(sys.executable).parent), str(TESTS / "bin"), os.environ["PATH"]]
    return shutil.which("nvim", path=os.pathsep.join(folders)) is not None


def has_eglot() -> bool:
    """Whether there is an Emacs that can load Eglot."""
    emacs = shutil.which("emacs")
    if emacs is None:
        return False
    command = [emacs, "--batch", "--eval", "(require 'eglot)"]
    return subprocess.run(command, capture_output=True).returncode == 0


TOOLS = {
    "node": Tool(
        "tests with programs from npm",
        "tests/run.py found no npm with Node.js 20 or newer",
        lambda: prepared(NODE),
    ),
    "vscode": Tool(
        "tests of the VS Code extension",
        "tests/run.py found no npm with Node.js 20 or newer",
        lambda: prepared(VSCODE),
    ),
    "vscode page": Tool(
        "tests in VS Code's workbench",
        "tests/run.py found no npm with Node.js 20 or newer",
        lambda: prepared(VSCODE_PAGE),
    ),
    "chromium": Tool("tests in a browser", "found no chromium", lambda: shutil.which("chromium") is not None),
    "neovim": Tool(
        "tests in Neovim", "found no nvim beside Python; there is none for this platform", has_neovim
    ),
    "emacs": Tool("tests in Emacs", "found no emacs with eglot", has_eglot),
    "git": Tool("tests with git", "found no git", lambda: shutil.which("git") is not None),
    "atheris": Tool("fuzzing", "atheris has no wheel for this Python or machine", has_atheris),
    "tmpfs": Tool("tests on a full disk", "only root may mount a small one", may_mount),
}
"""By the name that tests use. `.ci/run` installs those that Debian has."""


def needs(item: pytest.Item) -> set[str]:
    """The tools that a test is marked with; a name that `TOOLS` does not have is an error."""
    names = {name for mark in item.iter_markers("needs") for name in mark.args}
    assert names <= TOOLS.keys(), f"{item.nodeid} needs unknown tools: {names - TOOLS.keys()}"
    return names


def left_out(names: Iterable[str] = TOOLS) -> list[str]:
    """A line for each of these tools that is missing."""
    missing = (TOOLS[name] for name in names if not TOOLS[name].is_there())
    return [f"LEFT OUT: {tool.tests} ({tool.missing})" for tool in missing]
