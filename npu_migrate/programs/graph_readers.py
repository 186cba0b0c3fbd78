"""Which files of a tree may import the graph that a program saves, without being part of the program.

``resume.py`` need not share a line with ``train.py`` to run its graph: the file in between is enough. Nothing
says for certain which scripts are used with which, so those count that lie together, or share code.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from npu_migrate.programs.graph import TreeImports
from npu_migrate.programs.modules import PACKAGE_FILE, folder_of, module_name

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
        self._with_scripts = {folder_of(key) for key in files if not key.endswith(f"/{PACKAGE_FILE}")}
        self._reading = reading
        self._by_home = _grouped((self._home(key), key) for key in reading)
        self._homes = sorted(self._by_home)
        self._by_import = _grouped((used, key) for key in reading for used in imports.own_imports(key))

    def around(self, entry: str, files: frozenset[str], relevant: frozenset[str]) -> tuple[GraphReader, ...]:
        """Those that may be used with the program of `entry` and its `files`, but for its `relevant` ones.

        A tree may have thousands of programs and of readers, so only these readers are looked at.
        """
        if not self._reading:
            return ()
        beside = set().union(self._around(self._home(entry)), *map(self._importing, files)) - files
        found = beside | ((files & self._reading) - relevant)
        return tuple(GraphReader(key, self._is_alone(key)) for key in sorted(found))

    def _around(self, home: str) -> Iterator[str]:
        """The readers whose home is `home`, a folder around it, or one in it."""
        ends = (home, *(home[:end] for end, letter in enumerate(home) if letter == "/"))
        for folder in ends:
            yield from self._by_home.get(folder, ())
        # "0" is what follows "/": between the two is all that begins with the folder and a slash.
        inside = slice(*(bisect_left(self._homes, f"{home}{end}") for end in "/0"))
        for other in self._homes[inside]:
            yield from self._by_home[other]

    def _importing(self, key: str) -> Sequence[str]:
        """The readers that import the file `key`."""
        return self._by_import.get(key, ())

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

    def _is_alone(self, key: str) -> bool:
        others = self._imports.mentioning(module_name(key)) - {key}
        return not others and not self._imports.own_imports(key)


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """The second ones of `pairs` by their first ones."""
    found: dict[str, list[str]] = {}
    for first, second in pairs:
        found.setdefault(first, []).append(second)
    return found
