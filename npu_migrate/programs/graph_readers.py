"""Which files of a tree may import the graph that a program saves, without being part of the program.

``resume.py`` need not share a line with ``train.py`` to run its graph: the file in between is enough. Nothing
says for certain which scripts are used with which, so those count that lie together, or share code.
"""

from __future__ import annotations

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


class GraphReaders:
    """Finds for programs of one tree which of the files `reading`, which import graphs, may import theirs."""

    def __init__(self, imports: TreeImports, reading: frozenset[str]) -> None:
        self._imports = imports
        files = imports.layout.files if reading else ()
        self._with_scripts = {folder_of(key) for key in files if not key.endswith("/__init__.py")}
        self._homes = {key: self._home(key) for key in sorted(reading)}

    def around(self, entry: str, files: frozenset[str], relevant: frozenset[str]) -> tuple[GraphReader, ...]:
        """Those that may be used with the program of `entry` and its `files`, but for its `relevant` ones."""
        home = self._home(entry) if self._homes else ""
        return tuple(
            GraphReader(key, self._is_alone(key))
            for key, other in self._homes.items()
            if (key in files and key not in relevant)
            or (key not in files and (_is_around(home, other) or self._shares(key, files)))
        )

    def _home(self, key: str) -> str:
        """The folder of the project that a file belongs to.

        That is the folder above, too, where it says what its scripts are for, or the folder above has some.
        """
        folder = folder_of(key)
        top = len(self._imports.layout.root)
        while len(folder) > top:
            above, _, name = folder.rpartition("/")
            if name.lower() not in _PARTS_OF_A_PROJECT and above not in self._with_scripts:
                break
            folder = above
        return folder

    def _shares(self, key: str, files: frozenset[str]) -> bool:
        return not files.isdisjoint(self._imports.own_imports(key))

    def _is_alone(self, key: str) -> bool:
        others = self._imports.mentioning(module_name(key)) - {key}
        return not others and not self._imports.own_imports(key)


def _is_around(one: str, other: str) -> bool:
    """Whether one of two folders is the other one, or lies in it."""
    return f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")
