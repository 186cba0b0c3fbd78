"""What tests need besides Python. A test says ``@pytest.mark.needs("node")``; on a machine without that tool
it is not collected, and the run says LEFT OUT (`conftest.py`; `run.py` before the tests)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from node_tools import NODE, VSCODE


class Tool(NamedTuple):
    """Something to run: what is left out without it, why, and how to find out that it is there."""

    tests: str
    missing: str
    is_there: Callable[[], bool]


def prepared(folder: Path) -> bool:
    """Whether `tests/run.py` has installed the npm packages of that folder below .cache/."""
    return (folder / "prepared").is_file()


def has_neovim() -> bool:
    """Whether Neovim is in the environment of this Python, or on the search path."""
    return (
        shutil.which("nvim", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
        is not None
    )


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
    "chromium": Tool("tests in a browser", "found no chromium", lambda: shutil.which("chromium") is not None),
    "neovim": Tool(
        "tests in Neovim", "found no nvim beside Python; there is none for this platform", has_neovim
    ),
    "emacs": Tool("tests in Emacs", "found no emacs with eglot", has_eglot),
    "git": Tool("tests with git", "found no git", lambda: shutil.which("git") is not None),
}
"""By the name that tests use. `.ci/run` installs those that Debian has."""


def left_out(names: Iterable[str] = TOOLS) -> list[str]:
    """A line for each of these tools that is missing."""
    missing = (TOOLS[name] for name in names if not TOOLS[name].is_there())
    return [f"LEFT OUT: {tool.tests} ({tool.missing})" for tool in missing]
