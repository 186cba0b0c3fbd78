"""The command line, run in this process on a folder made for it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from click.testing import CliRunner
from fidelity import Tree, write_tree

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


def tool(*arguments: str) -> bytes:
    """Standard output of ``npu-migrate`` with these arguments."""
    result = CliRunner().invoke(command, [*arguments], standalone_mode=False, catch_exceptions=False)
    assert result.return_value in (0, 1), result.output
    return result.stdout_bytes
