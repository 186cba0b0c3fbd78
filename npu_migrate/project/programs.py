"""Programs: entry scripts with everything they import, and which of their files are worth parsing.

The program is the unit in which files are judged together. A file that several programs share is judged
in each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from npu_migrate.index.gate import mentions_ours, plays_role
from npu_migrate.project.entries import entries_of, may_reach
from npu_migrate.project.graph import SearchPath, Survey, TreeImports, survey
from npu_migrate.project.modules import Layout, resolve_module
from npu_migrate.sources.tree import SourceTree


@dataclass(frozen=True, slots=True)
class Program:
    """An entry script and the files it reaches, itself included."""

    entry: str
    files: frozenset[str]
    search_path: SearchPath


@dataclass(frozen=True)
class ImportGraph:
    """Programs that agree on what every import in a file they share means, seen together.

    Programs of different projects always agree, for they share no file. Two programs disagree when, for
    example, both use one library that does ``import config`` and each script has a ``config.py`` beside
    it; they are then in different graphs.
    """

    imports: TreeImports
    programs: tuple[Program, ...]

    @cached_property
    def _search_paths(self) -> Mapping[str, SearchPath]:
        return {key: program.search_path for program in reversed(self.programs) for key in program.files}

    @cached_property
    def _importers(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for importer, search_path in sorted(self._search_paths.items()):
            for key in self.imports.imports_of(importer, search_path):
                found.setdefault(key, []).append(importer)
        return {key: tuple(importers) for key, importers in found.items()}

    @property
    def files(self) -> Set[str]:
        """The files of all its programs."""
        return self._search_paths.keys()

    def resolve(self, importer: str, module: str, level: int = 0) -> str | None:
        """The file that `importer` means by `module` behind `level` dots; ``None`` if the tree has none.

        A namespace package has no file. A file that no program contains sees what it would see when
        started itself.
        """
        search_path = self._search_paths.get(importer)
        if search_path is None:
            search_path = self.imports.own_path(importer)
        return resolve_module(self.imports.layout, importer, module, level, search_path)

    def importers(self, key: str) -> tuple[str, ...]:
        """The files whose import statements execute the file `key`, in order."""
        return self._importers.get(key, ())

    def programs_of(self, key: str) -> tuple[str, ...]:
        """The entries, in order, of the programs that the file `key` belongs to."""
        return tuple(program.entry for program in self.programs if key in program.files)


@dataclass(frozen=True, slots=True)
class Programs:
    """The programs of a tree that matter: each has a file of ours and a file that the user asked about.

    `graphs` has every program once; `by_file` leads from a file to the entries of its programs.
    """

    graphs: tuple[ImportGraph, ...] = ()
    by_file: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))

    def programs_of(self, key: str) -> tuple[str, ...]:
        """The entries, in order, of the programs that the file `key` belongs to."""
        return self.by_file.get(key, ())


@dataclass(frozen=True, slots=True)
class Relevance:
    """Which files are worth parsing.

    `ours` mention a name of ours (or cannot be read, which has to be said); `supporting` are the other
    files of their programs that play a role. Both contain context files where these take part.
    """

    ours: frozenset[str]
    supporting: frozenset[str]
    programs: Programs


def relevant_files(tree: SourceTree, src: Sequence[str] = ()) -> Relevance:
    """Choose the files of `tree` that can matter for findings in its targets.

    `src` are configured folders with top-level modules, as absolute paths. Reads every file of the tree,
    unless the targets alone show that there is nothing to find.
    """
    root = tree.root.as_posix()
    keys = sorted({*tree.targets, *tree.context})
    if not any(_concerns_us(tree, key) for key in tree.targets):
        return Relevance(frozenset(), frozenset(), Programs())
    ours: set[str] = set()
    surveys: dict[str, Survey] = {}
    for key in keys:
        data = _data(tree, key)
        surveys[key] = survey(key, data or b"", root)
        if data is None or mentions_ours(data):
            ours.add(key)
    imports = TreeImports.of(Layout.of(root, keys), surveys, src)
    programs = find_programs(imports, ours, tree.targets)
    taking_part = programs.by_file.keys()
    supporting = (key for key in taking_part if key not in ours and plays_role(_data(tree, key) or b""))
    return Relevance(frozenset(ours & taking_part), frozenset(supporting), programs)


def find_programs(imports: TreeImports, ours: Iterable[str], targets: Iterable[str]) -> Programs:
    """The programs with at least one file out of `ours` and one out of `targets`.

    A file of both that no entry reaches is a program of its own.
    """
    ours, targets = frozenset(ours), frozenset(targets)
    possible = may_reach(imports, ours) & may_reach(imports, targets)
    found: list[Program] = []
    for entry in entries_of(imports):
        if entry in possible:
            program = Program(entry, *imports.reached_from(entry))
            if not (program.files.isdisjoint(ours) or program.files.isdisjoint(targets)):
                found.append(program)
    covered = frozenset[str]().union(*(program.files for program in found))
    found += [Program(key, *imports.reached_from(key)) for key in sorted((ours & targets) - covered)]
    by_file: dict[str, list[str]] = {}
    for program in sorted(found, key=lambda program: program.entry):
        for key in program.files:
            by_file.setdefault(key, []).append(program.entry)
    graphs = tuple(ImportGraph(imports, programs) for programs in _agreeing(imports, found))
    return Programs(graphs, MappingProxyType({key: tuple(entries) for key, entries in by_file.items()}))


def _agreeing(imports: TreeImports, programs: Iterable[Program]) -> list[tuple[Program, ...]]:
    """`programs` in as few groups as a first fit gives, without disagreement inside a group."""
    groups: list[tuple[list[Program], dict[str, frozenset[str]]]] = []
    for program in sorted(programs, key=lambda program: program.entry):
        edges = {key: imports.imports_of(key, program.search_path) for key in program.files}
        for members, agreed in groups:
            if all(agreed.get(key, edge) == edge for key, edge in edges.items()):
                members.append(program)
                agreed.update(edges)
                break
        else:
            groups.append(([program], edges))
    return [tuple(members) for members, _ in groups]


def _concerns_us(tree: SourceTree, key: str) -> bool:
    data = _data(tree, key)
    return data is None or mentions_ours(data) or plays_role(data)


def _data(tree: SourceTree, key: str) -> bytes | None:
    """The bytes of a file; ``None`` if it cannot be read."""
    try:
        return tree.data(key)
    except OSError:
        return None
