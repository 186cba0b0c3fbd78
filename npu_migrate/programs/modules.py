"""Which file an import means: Python's own rules over the set of files that a tree has.

A module is found by the folders of a search path and the dots of its name, never by a file's name alone.
Regular packages, plain modules and namespace packages are known; files outside the tree are not.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from npu_migrate.programs.imports import STAR, ImportedModule

PACKAGE_FILE = "__init__.py"

_INSTALLED = sys.stdlib_module_names | {
    "absl",
    "cv2",
    "horovod",
    "keras",
    "mx_rec",
    "npu_bridge",
    "npu_device",
    "numpy",
    "pandas",
    "scipy",
    "six",
    "sklearn",
    "tensorflow",
    "tensorflow_estimator",
    "torch",
}
"""Installed packages: they win over a mere folder of that name, such as ``models/tensorflow/``."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The Python files of a tree and the folders that hold them.

    `files` are keys; `folders` have a Python file at or below them, `root` included. Both lead from each
    path to itself: whoever keeps one for long keeps this one, as copies would fill the memory. `holders`
    leads from the name of a module or folder to the folders that have one of that name; `folder_names` are
    the names of folders alone.
    """

    root: str
    files: Mapping[str, str]
    folders: Mapping[str, str]
    holders: Mapping[str, frozenset[str]]
    folder_names: frozenset[str]
    _in_order: list[str] = field(default_factory=list, repr=False, compare=False)
    _names: dict[str, list[str]] = field(default_factory=dict, repr=False, compare=False)

    @staticmethod
    def of(root: str, keys: Iterable[str]) -> Layout:
        """The layout of the files `keys`, all of them below the folder `root`."""
        files = {key: key for key in keys}
        folders = {root: root}
        for key in files:
            folder = folder_of(key)
            while folder not in folders and len(folder) > len(root):
                folders[folder] = folder
                folder = folder_of(folder)
        holders: dict[str, set[str]] = {}
        for path in (*files, *folders):
            holder, _, name = path.rpartition("/")
            holders.setdefault(name.removesuffix(".py"), set()).add(folders.get(holder, holder))
        frozen = {name: frozenset(found) for name, found in holders.items()}
        names = frozenset(folder.rpartition("/")[2] for folder in folders)
        return Layout(
            root, MappingProxyType(files), MappingProxyType(folders), MappingProxyType(frozen), names
        )

    def is_package(self, folder: str) -> bool:
        """Whether a folder has an ``__init__.py``."""
        return f"{folder}/{PACKAGE_FILE}" in self.files

    def names_in(self, folder: str) -> Sequence[str]:
        """The names of the files and folders in a folder."""
        if not self._names:
            for path in (*self.files, *self.folders):
                holder, _, name = path.rpartition("/")
                self._names.setdefault(holder, []).append(name)
        return self._names.get(folder, ())

    def beginning(self, text: str) -> Iterator[str]:
        """The names of all modules and packages that begin so, in order."""
        return (name for name in sorted(self.holders) if name.startswith(text) and name.isidentifier())

    def files_below(self, folder: str) -> Sequence[str]:
        """The files in a folder and in those inside, in order."""
        if not self._in_order:
            self._in_order.extend(sorted(self.files))
        # "0" is what follows "/": between the two is all that begins with the folder and a slash.
        start, end = (bisect_left(self._in_order, f"{folder}{letter}") for letter in "/0")
        return self._in_order[start:end]


def module_name(key: str) -> str:
    """The last part of the name by which a file is imported."""
    folder, _, file = key.rpartition("/")
    return folder.rpartition("/")[2] if file == PACKAGE_FILE else file.removesuffix(".py")


def modules_beginning(layout: Layout, package: str, beginning: str) -> tuple[str, ...]:
    """The names of the modules and packages that begin so, in all packages that may be called `package`."""
    *above, name = package.split(".")
    below = "".join(f"/{part}" for part in above)
    found = {
        module.removesuffix(".py")
        for holder in layout.holders.get(name, ())
        if f"/{holder}".endswith(below)
        for module in layout.names_in(f"{holder}/{name}")
        if module.startswith(beginning) and module != PACKAGE_FILE
    }
    return tuple(sorted(found))


class _Found(NamedTuple):
    """A module: its file (a namespace package has none), and the folders its submodules are in."""

    file: str | None
    folders: tuple[str, ...]


def folder_of(key: str) -> str:
    """The folder of a file, or the one above a folder."""
    return key[: key.rfind("/")]


def home_of(layout: Layout, key: str) -> str | None:
    """The folder above the top-most package of a file: what must be searched for it to be importable.

    ``None`` for a file that lies in no package.
    """
    package = folder_of(key)
    if not layout.is_package(package):
        return None
    while layout.is_package(package):
        package = folder_of(package)
    return package


def resolve_module(
    layout: Layout, importer: str, module: str, level: int, search_path: Sequence[str]
) -> str | None:
    """The file of the module that `importer` calls `module`, after `level` leading dots.

    `search_path` are the folders for absolute names, first one first; the folder above the importer's own
    package comes last. ``None`` where the tree has no such file, for a namespace package too.
    """
    chain = _chain(layout, importer, module, level, search_path)
    return chain[-1].file if chain and chain[-1] is not None else None


def executed_by(
    layout: Layout, importer: str, imported: ImportedModule, search_path: Sequence[str]
) -> tuple[str, ...]:
    """The files that an import executes: its packages, the module itself and the submodules it names.

    A module that is missing from a package that is there does not undo the package.
    """
    chain = _chain(layout, importer, imported.module, imported.level, search_path)
    files = [found.file for found in chain if found is not None and found.file is not None]
    last = chain[-1] if chain else None
    if last is not None and last.folders:
        submodules = (_find(layout, last.folders, name) for name in imported.names if name != STAR)
        files += [found.file for found in submodules if found is not None and found.file is not None]
    return tuple(files)


def _chain(
    layout: Layout, importer: str, module: str, level: int, search_path: Sequence[str]
) -> list[_Found | None]:
    """One entry per package on the way and one for the module; it ends at the first that is missing."""
    parts = module.split(".") if module else []
    if level:
        chain: list[_Found | None] = [_anchor(layout, importer, level)]
    else:
        chain = [_top(layout, importer, parts.pop(0), search_path)]
    for part in parts:
        package = chain[-1]
        if package is None:
            break
        chain.append(_find(layout, package.folders, part))
    return chain


def _anchor(layout: Layout, importer: str, level: int) -> _Found | None:
    """The package that the leading dots mean."""
    folder = importer
    for _ in range(level):
        folder = folder_of(folder)
    if folder not in layout.folders:
        return None
    return _Found(layout.files.get(f"{folder}/{PACKAGE_FILE}"), (folder,))


def _top(layout: Layout, importer: str, name: str, search_path: Sequence[str]) -> _Found | None:
    if name not in layout.holders:
        return None
    found = _find(layout, search_path, name)
    if found is None or found.file is None:
        home = home_of(layout, importer)
        if home is not None and home not in search_path:
            found = _find(layout, (*search_path, home), name)
    return None if found is not None and found.file is None and name in _INSTALLED else found


def _find(layout: Layout, folders: Sequence[str], name: str) -> _Found | None:
    """The module `name` in the first folder that has it; folders without ``__init__.py`` count together."""
    portions: list[str] = []
    for folder in folders:
        inner = f"{folder}/{name}"
        package = layout.files.get(f"{inner}/{PACKAGE_FILE}")
        if package is not None:
            return _Found(package, (inner,))
        module = layout.files.get(f"{inner}.py")
        if module is not None:
            return _Found(module, ())
        if inner in layout.folders:
            portions.append(inner)
    return _Found(None, tuple(portions)) if portions else None
