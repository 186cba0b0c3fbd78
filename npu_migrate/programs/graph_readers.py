"""Which files of a tree may import the graph that a program saves, without being part of the program.

``resume.py`` need not share a line with ``train.py`` to run its graph: the file in between is enough. Nothing
says for certain which scripts are used with which, so those count that lie together, or share code.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from npu_migrate.programs.graph import TreeImports
from npu_migrate.programs.modules import folder_of, module_name

_PARTS_OF_A_PROJECT = frozenset(
    {
        "bin",
        "code",
        "demo",
        "deploy",
        "deployment",
        "eval",
        "evaluate",
        "evaluation",
        "examples",
        "export",
        "freeze",
        "infer",
        "inference",
        "main",
        "predict",
        "prediction",
        "python",
        "scripts",
        "serve",
        "serving",
        "src",
        "tasks",
        "tools",
        "train",
        "trainer",
        "training",
        "util",
        "utils",
    }
)
"""Names of folders that say what their scripts are for: these go with the scripts beside the folder."""


class GraphReader(NamedTuple):
    """A file that imports graphs. `alone`: it imports no file of the tree, and none imports it."""

    key: str
    alone: bool


def readers_around(
    imports: TreeImports, entry: str, files: frozenset[str], reading: Iterable[str]
) -> tuple[GraphReader, ...]:
    """Those of the files `reading` that may be used with the program of `entry` and its `files`, in order."""
    home = _home(imports, entry)
    return tuple(
        GraphReader(key, _is_alone(imports, key))
        for key in sorted(reading)
        if key in files
        or _is_around(home, _home(imports, key))
        or not files.isdisjoint(imports.own_imports(key))
    )


def _home(imports: TreeImports, key: str) -> str:
    """The folder that a file is at home in."""
    folder = folder_of(key)
    top = len(imports.layout.root)
    while len(folder) > top and folder.rpartition("/")[2].lower() in _PARTS_OF_A_PROJECT:
        folder = folder_of(folder)
    return folder


def _is_around(one: str, other: str) -> bool:
    """Whether one of two folders is the other one, or lies in it."""
    return f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")


def _is_alone(imports: TreeImports, key: str) -> bool:
    return not imports.own_imports(key) and not imports.mentioning(module_name(key)) - {key}
