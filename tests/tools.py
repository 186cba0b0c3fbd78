"""What tests need besides Python. A test says ``@pytest.mark.needs("node")``; on a machine without that tool
it is not collected, and the run says LEFT OUT (`conftest.py`; `run.py` before the tests)."""

from __future__ import annotations

import shutil
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
    "git": Tool("tests with git", "found no git", lambda: shutil.which("git") is not None),
}
"""By the name that tests use. `.ci/run` installs those that Debian has."""


def left_out(names: Iterable[str] = TOOLS) -> list[str]:
    """A line for each of these tools that is missing."""
    missing = (TOOLS[name] for name in names if not TOOLS[name].is_there())
    return [f"LEFT OUT: {tool.tests} ({tool.missing})" for tool in missing]
