"""The command line, run in this process on a folder made for it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from click.testing import CliRunner
from fidelity import Tree, write_tree

from npu_migrate.cache.folder import VARIABLE
from npu_migrate.cli import command


@contextmanager
def folder_with(tree: Tree) -> Iterator[Path]:
    """A new folder that holds `tree` and is the working directory as long as the block runs."""
    home = Path.cwd()
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_tree(folder, tree)
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(home)


@contextmanager
def case_folder(tree: Tree) -> Iterator[Path]:
    """As `folder_with`, for the many tests of all fixtures: what one has found out about a tree is kept.

    The folder has the same name each time, by which plans are kept. Each tree has a cache of its own: a run
    that keeps something looks through the whole folder of the cache, and all trees together fill it.
    """
    home, cache = Path.cwd(), os.environ[VARIABLE]
    with TemporaryDirectory() as name:
        folder = Path(name, "project")
        folder.mkdir()
        write_tree(folder, tree)
        os.environ[VARIABLE] = f"{cache}/{name_of(tree)}"
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(home)
            os.environ[VARIABLE] = cache


def name_of(tree: Tree) -> str:
    """A name that other trees do not have."""
    return hashlib.sha256(repr(sorted(tree.items())).encode()).hexdigest()


def tool(*arguments: str) -> bytes:
    """Standard output of ``npu-migrate`` with these arguments."""
    result = CliRunner().invoke(command, [*arguments], standalone_mode=False, catch_exceptions=False)
    assert result.return_value in (0, 1), result.output
    return result.stdout_bytes
