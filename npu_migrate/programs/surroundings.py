"""Which names of other files decide what is found in some programs.

A new file costs an answer only where it can be meant. What an import executes belongs to its program, so a
file that it means from now on makes another program of it. Left are files that are meant without an import
of their own (``import tools`` and then ``tools.data``), and those that decide what is a package, or whether
a fix may add its module.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import chain

from npu_migrate.index.gate import GENERATED_MODULE
from npu_migrate.programs.graph import TreeImports
from npu_migrate.programs.modules import PACKAGE_FILE, Layout, folder_of
from npu_migrate.programs.programs import Program


def surroundings(
    imports: TreeImports, programs: Iterable[Program], targets: Collection[str]
) -> tuple[str, ...]:
    """Paths of files and folders around the files of `programs`, in order; `targets` are those of the tree.

    While the same programs have the same around them, no other file is meant by anything in them.
    """
    programs = tuple(programs)
    layout = imports.layout
    files = frozenset[str]().union(*(program.files for program in programs))
    folders = frozenset(map(folder_of, files))
    above = frozenset(chain.from_iterable(_upwards(layout, folder) for folder in folders))
    found: set[str] = set()
    found.update(f"{folder}/{PACKAGE_FILE}" for folder in above if layout.is_package(folder))
    for folder in folders:
        inside = [f"{folder}/{name}" for name in layout.names_in(folder)]
        found.update(_deciding(folder, inside, files))
        if any(path in targets for path in inside):
            found.add(f"{folder}/")
    searched = above.union(*(program.search_path for program in programs))
    for folder in _namespaces(imports, files, searched):
        found.update(layout.files_below(folder))
    return tuple(sorted(found))


def _deciding(folder: str, inside: Iterable[str], files: Collection[str]) -> Iterator[str]:
    """What is `inside` a folder and may decide something: in a package of the programs anything may be meant,
    elsewhere a module of ours keeps a fix from adding one of that name."""
    if f"{folder}/{PACKAGE_FILE}" in files:
        return iter(inside)
    return (path for path in inside if path.startswith(f"{folder}/{GENERATED_MODULE}"))


def _namespaces(imports: TreeImports, files: Iterable[str], searched: Collection[str]) -> Iterator[str]:
    """The folders without ``__init__.py``, of those in `searched` that an import of `files` may mean."""
    layout = imports.layout
    asked: set[tuple[str, str]] = set()
    for key in files:
        for imported in imports.surveys[key].imports:
            first = imported.module.partition(".")[0]
            if imported.level:
                anchor = folder_of(key)
                for _ in range(1, imported.level):
                    anchor = folder_of(anchor)
                asked.update((anchor, name) for name in ((first,) if first else imported.names))
            else:
                asked.update((folder, first) for folder in layout.holders.get(first, ()))
    for folder, name in asked:
        path = f"{folder}/{name}"
        if folder in searched and path in layout.folders and not layout.is_package(path):
            yield path


def _upwards(layout: Layout, folder: str) -> Iterator[str]:
    while folder in layout.folders:
        yield folder
        if folder == layout.root:
            return
        folder = folder_of(folder)
