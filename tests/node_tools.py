"""The programs and files from npm that tests use, as `tests/run.py` installs them from `tests/node/`."""

from __future__ import annotations

from pathlib import Path

CACHE = Path(__file__).resolve().parents[1] / ".cache"
NODE = CACHE / "node"
GITHUB_API = NODE / "node_modules" / "@octokit" / "openapi" / "generated" / "api.github.com.json"
"""GitHub's description of its API. `tests/run.py` keeps no other one of this package: they are large."""
VSCODE = CACHE / "vscode"
"""Where `tests/run.py` installs what `editors/vscode/` is built with."""
VSCODE_PAGE = CACHE / "vscode-page"
"""The same for `tests/editors/vscode_page/`: VS Code's workbench in a page."""


def node_program(name: str) -> Path:
    """The program of that name, to be run as it is: ``node_program("sarif-multitool")``."""
    return NODE / "node_modules" / ".bin" / name


def node_package(name: str) -> Path:
    """The folder of an installed package: ``node_package("@microsoft/jest-sarif")``."""
    return NODE / "node_modules" / name
