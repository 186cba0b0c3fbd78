"""Which entries of a folder are left out: junk folders, `.gitignore` files, configured patterns."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

JUNK_FOLDERS = frozenset(
    {
        ".bzr",
        ".cache",
        ".direnv",
        ".eggs",
        ".git",
        ".hg",
        ".ipynb_checkpoints",
        ".mypy_cache",
        ".nox",
        ".pyenv",
        ".pytest_cache",
        ".pytype",
        ".ruff_cache",
        ".svn",
        ".tox",
        ".venv",
        ".vscode",
        "__pycache__",
        "__pypackages__",
        "_build",
        "build",
        "dist",
        "node_modules",
        "site-packages",
        "venv",
    }
)
"""Folders of version control, environments, caches and build results: no code that the user maintains."""

Ignores = tuple[tuple[int, "GitIgnoreSpec"], ...]
"""Pattern files in force, outermost first: the length of their folder's path with ``/``, and the patterns."""


def is_junk(name: str) -> bool:
    """Whether a folder of this name holds nothing that the user maintains."""
    return name in JUNK_FOLDERS or name.endswith(".egg-info")


def is_ignored(path: str, ignores: Ignores) -> bool:
    """Whether an entry is ignored. The innermost pattern file decides; a folder's `path` ends with ``/``."""
    for prefix, spec in reversed(ignores):
        include = spec.check_file(path[prefix:]).include
        if include is not None:
            return include
    return False


def patterns(folder: str, lines: Iterable[str]) -> Ignores:
    """Patterns in the syntax of `.gitignore` that hold below `folder`.

    Raises `ValueError` when one of them cannot be understood.
    """
    written = [line for line in lines if _says_something(line)]
    if not written:
        return ()
    # Most runs have no pattern, and importing the library takes as long as discovering a thousand files.
    from pathspec import GitIgnoreSpec

    spec = GitIgnoreSpec.from_lines(written)
    return ((len(folder.rstrip("/")) + 1, spec),) if len(spec) else ()


def read_patterns(folder: str, file: str) -> Ignores:
    """The patterns in `file`, which hold below `folder`.

    A file that cannot be read counts as empty, and so does a line that cannot be understood, as in Git.
    """
    try:
        data = Path(file).read_bytes()
    except OSError:
        return ()
    lines = [os.fsdecode(line.rstrip(b"\r")) for line in data.split(b"\n")]
    return patterns(folder, (line for line in lines if _says_something(line) and _is_pattern(line)))


def ignores_above(root: str, folder: str) -> Ignores:
    """The pattern files that hold for the entries of `folder`, from the work tree or `root` down.

    Both are absolute paths with ``/``, `folder` at or below `root`. A folder that is itself ignored is
    walked because the user named it, so the patterns that hide it do not hold inside.
    """
    top = _work_tree(root)
    ignores = read_patterns(top, f"{top}/.git/info/exclude")
    current = top.rstrip("/")
    for name in [part for part in folder[len(current) :].split("/") if part]:
        ignores += read_patterns(current, f"{current}/.gitignore")
        current = f"{current}/{name}"
        if is_ignored(f"{current}/", ignores):
            ignores = ()
    return ignores


def _says_something(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("#")


def _is_pattern(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def _work_tree(root: str) -> str:
    """The nearest folder at or above `root` that is a Git work tree, else `root`."""
    for candidate in (Path(root), *Path(root).parents):
        if (candidate / ".git").exists():
            return candidate.as_posix()
    return root
