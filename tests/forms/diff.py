"""The unified diff, as ``git apply`` reads it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from fidelity import Tree, read_tree, write_tree


def applied(tree: Tree, diff: bytes) -> Tree:
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_tree(folder, tree)
        if diff:
            git = ["git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "-"]
            environment = os.environ | {"GIT_CEILING_DIRECTORIES": str(folder.parent)}
            subprocess.run(git, input=diff, cwd=folder, env=environment, check=True)
        return read_tree(folder)
