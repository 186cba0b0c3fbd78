"""Programs: entry scripts with everything they import, and which of their files are worth parsing.

The program is the unit in which files are judged together. A file that several programs share is judged
in each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from types import MappingProxyType
from typing import NamedTuple, Protocol

from npu_migrate.index.gate import GENERATED_MODULE, ROLES_BESIDE, is_generated
from npu_migrate.programs.entries import entries_of, may_reach
from npu_migrate.programs.graph import SearchPath, Survey, TreeImports, narrowing
from npu_migrate.programs.graph_readers import GraphReader, GraphReaders
from npu_migrate.programs.modules import Layout, resolve_module
from npu_migrate.programs.sketches import Roles, Sketch, TreeSketches
from npu_migrate.sources.tree import SourceTree


@dataclass(frozen=True, slots=True)
class Program:
    """An entry script and the files it reaches, itself included.

    `graph_readers` are files that may import a graph that it saves, and that do not play a role in it: they
    take part in no finding of theirs, but what is in them may decide about one of the program.
    """

    entry: str
    files: frozenset[str]
    search_path: SearchPath
    graph_readers: tuple[GraphReader, ...] = ()

    @property
    def deciding(self) -> frozenset[str]:
        """The files that may decide what is found in the program."""
        return self.files.union(reader.key for reader in self.graph_readers)


@dataclass(frozen=True, slots=True)
class Programs:
    """The programs of a tree that matter: each has a file of ours and a file that the user asked about.

    `by_entry` has them in order of their entries; `by_file` leads from a file to its programs' entries.
    `ambiguous` are the files that an import means in one program while it means others in another one: who
    uses them is not known for certain.
    """

    imports: TreeImports
    by_entry: Mapping[str, Program]
    by_file: Mapping[str, tuple[str, ...]]
    ambiguous: frozenset[str]

    @staticmethod
    def of(imports: TreeImports, programs: Iterable[Program]) -> Programs:
        """`programs`, each with an entry of its own, and the way back from their files."""
        by_entry = {program.entry: program for program in sorted(programs, key=attrgetter("entry"))}
        by_file: dict[str, list[str]] = {}
        for entry, program in by_entry.items():
            for key in program.files:
                by_file.setdefault(key, []).append(entry)
        frozen = {key: tuple(entries) for key, entries in by_file.items()}
        ambiguous = _ambiguous(imports, by_entry, frozen)
        return Programs(imports, MappingProxyType(by_entry), MappingProxyType(frozen), ambiguous)

    def programs_of(self, key: str) -> tuple[str, ...]:
        """The entries, in order, of the programs that the file `key` belongs to."""
        return self.by_file.get(key, ())

    def neighbours_of(self, keys: Iterable[str]) -> frozenset[str]:
        """The files of all programs that one of `keys` belongs to."""
        entries = {entry for key in keys for entry in self.programs_of(key)}
        return frozenset[str]().union(*(self.by_entry[entry].files for entry in entries))

    def affected_by(self, keys: Iterable[str]) -> frozenset[str]:
        """The files of all programs for which one of `keys` may decide something."""
        changed = frozenset(keys)
        reading = [
            program.entry
            for program in self.by_entry.values()
            if any(reader.key in changed for reader in program.graph_readers)
        ]
        return self.neighbours_of((*changed, *reading))

    def with_graph_readers(self, readers: Callable[[Program], tuple[GraphReader, ...]]) -> Programs:
        """The same programs with the graph readers that `readers` finds for each."""
        by_entry = {
            entry: replace(program, graph_readers=readers(program))
            for entry, program in self.by_entry.items()
        }
        return replace(self, by_entry=MappingProxyType(by_entry))

    def resolve(self, entry: str, importer: str, module: str, level: int = 0) -> str | None:
        """The file that `importer` means by `module` behind `level` dots when the program of `entry` runs.

        ``None`` if the tree has no such file, as for a namespace package. Raises `KeyError` if no program
        starts with `entry`.
        """
        search_path = self.by_entry[entry].search_path
        return resolve_module(self.imports.layout, importer, module, level, search_path)


def _ambiguous(
    imports: TreeImports, by_entry: Mapping[str, Program], by_file: Mapping[str, Sequence[str]]
) -> frozenset[str]:
    paths = {entry: program.search_path for entry, program in by_entry.items()}
    found: set[str] = set()
    for key, entries in by_file.items():
        if len(entries) > 1:
            asked = {paths[entry] for entry in entries}
            meant = [frozenset(imports.imports_of(key, path)) for path in asked]
            found |= meant[0].union(*meant) - meant[0].intersection(*meant)
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class Relevance:
    """Which files are worth parsing.

    `ours` mention a name of ours (or cannot be read, which has to be said); `supporting` are the other
    files of their programs that play a role. Both contain context files where these take part.
    """

    ours: frozenset[str]
    supporting: frozenset[str]
    programs: Programs

    def chooses_as(self, other: Relevance) -> bool:
        """Whether `other`, for the same tree, has the same files in the same programs."""
        return (
            self.ours == other.ours
            and self.supporting == other.supporting
            and self.programs.by_entry == other.programs.by_entry
            and self.programs.ambiguous == other.programs.ambiguous
        )

    def around(self, keys: Iterable[str]) -> Relevance:
        """What is left of it for findings in the programs of `keys` alone."""
        entries = {entry for key in keys for entry in self.programs.programs_of(key)}
        programs = Programs.of(self.programs.imports, (self.programs.by_entry[entry] for entry in entries))
        files = programs.by_file.keys()
        return Relevance(self.ours & files, self.supporting & files, programs)

    def parts(self) -> tuple[Relevance, ...]:
        """This relevance in parts that have no file in common, and so can be judged each by itself.

        Programs that share files stay together, and no others do: to find the fixes of a part takes as many
        passes as its most difficult program needs. The largest part comes first.
        """
        parts = map(self.around, _connected(self.programs))
        return tuple(sorted(parts, key=lambda part: -len(part.ours | part.supporting)))


class Sketches(Protocol):
    """Where the sketches of the files of a tree come from."""

    def sketch(self, key: str) -> Sketch:
        """The sketch of the file `key`."""

    def roles(self, key: str, beside: Sequence[int]) -> Roles:
        """The roles of the file `key`, at least those of `beside` that it plays where there is a reason."""

    def concerns_us(self, key: str) -> bool:
        """Whether there can be anything to find in the file `key`."""


def relevant_files(tree: SourceTree, src: Sequence[str] = (), sketches: Sketches | None = None) -> Relevance:
    """Choose the files of `tree` that can matter for findings in its targets.

    `src` are configured folders with top-level modules, as absolute paths. Without `sketches` every file of
    the tree is read, unless the targets alone show that there is nothing to find.
    """
    sketches = sketches or TreeSketches(tree)
    root = tree.root.as_posix()
    if not any(map(sketches.concerns_us, tree.targets)):
        nothing = TreeImports.of(Layout.of(root, ()), {}, src)
        return Relevance(frozenset(), frozenset(), Programs.of(nothing, ()))
    keys = _keys_of(tree)
    layout = Layout.of(root, keys)
    seen = _look_at(keys, sketches, narrowing(layout))
    imports = TreeImports.of(layout, seen.surveys, src)
    return _chosen(sketches, seen, find_programs(imports, seen.ours, tree.targets))


def relevant_files_after(
    earlier: Relevance, imports: TreeImports, tree: SourceTree, sketches: Sketches, changed: Collection[str]
) -> Relevance:
    """The same as `relevant_files`, for a tree that it knows but for what the files `changed` say.

    `earlier` and `imports` were found before the change. Programs without a changed file stay as they are.
    """
    if not imports.surveys or not any(map(sketches.concerns_us, tree.targets)):
        return relevant_files(tree, imports.src, sketches)
    seen = _look_at(_keys_of(tree), sketches)
    narrowed = narrowing(imports.layout)
    imports = imports.after({key: narrowed(seen.surveys[key]) for key in changed if key in seen.surveys})
    known = {
        entry: program
        for entry, program in earlier.programs.by_entry.items()
        # On its way to a wider path a program may have passed files that are not part of it.
        if program.files.isdisjoint(changed) and program.search_path == imports.own_path(entry)
    }
    return _chosen(sketches, seen, find_programs(imports, seen.ours, tree.targets, known))


class _Seen(NamedTuple):
    """What the sketches of all files say: which are ours, which are a reason for each of `ROLES_BESIDE`,
    which mention one-shot iterators, and which import graphs."""

    ours: frozenset[str]
    reasons: tuple[frozenset[str], ...]
    surveys: Mapping[str, Survey]
    one_shot: frozenset[str]
    reading_graphs: frozenset[str]


def _keys_of(tree: SourceTree) -> list[str]:
    """The files of a tree but for modules that this tool has added: they count as installed."""
    return sorted(key for key in {*tree.targets, *tree.context} if not _is_added(tree, key))


def _is_added(tree: SourceTree, key: str) -> bool:
    if f"/{GENERATED_MODULE}" not in key:
        return False
    try:
        return is_generated(tree.data(key))
    except OSError:
        return False


def _look_at(
    keys: Iterable[str], sketches: Sketches, kept: Callable[[Survey], Survey] = lambda surveyed: surveyed
) -> _Seen:
    """What the sketches of the files `keys` say; of each survey, what `kept` leaves."""
    ours: set[str] = set()
    reasons: list[set[str]] = [set() for _ in ROLES_BESIDE]
    surveys: dict[str, Survey] = {}
    one_shot: set[str] = set()
    reading: set[str] = set()
    for key in keys:
        sketch = sketches.sketch(key)
        surveys[key] = kept(sketch.survey)
        if sketch.ours:
            ours.add(key)
        for index in sketch.reasons:
            reasons[index].add(key)
        if sketch.one_shot:
            one_shot.add(key)
        if sketch.reads_graphs:
            reading.add(key)
    by_reason = tuple(map(frozenset, reasons))
    return _Seen(frozenset(ours), by_reason, surveys, frozenset(one_shot), frozenset(reading))


def _chosen(sketches: Sketches, seen: _Seen, programs: Programs) -> Relevance:
    """Those files of `programs` that are worth parsing."""
    taking_part = programs.by_file.keys()
    besides = [programs.neighbours_of(found) for found in seen.reasons]
    reasons = [index for index, files in enumerate(besides) if files]
    supporting = set()
    for key in taking_part - seen.ours:
        roles = sketches.roles(key, reasons)
        if roles.plain or any(key in besides[index] for index in roles.beside):
            supporting.add(key)
    relevant = frozenset(supporting | (seen.ours & taking_part))
    reading = seen.reading_graphs if taking_part & seen.one_shot else frozenset[str]()
    readers = GraphReaders(programs.imports, reading)

    def readers_of(program: Program) -> tuple[GraphReader, ...]:
        if program.files.isdisjoint(seen.one_shot):
            return ()
        return readers.around(program.entry, program.files, relevant)

    programs = programs.with_graph_readers(readers_of)
    return Relevance(seen.ours & taking_part, frozenset(supporting), programs)


def _connected(programs: Programs) -> list[list[str]]:
    """The entries of the programs that share files, directly or not; all in order."""
    leader = {entry: entry for entry in programs.by_entry}
    holder: dict[str, str] = {}

    def leader_of(entry: str) -> str:
        while leader[entry] != entry:
            leader[entry] = leader[leader[entry]]
            entry = leader[entry]
        return entry

    for entry, program in programs.by_entry.items():
        for key in program.files:
            other = holder.setdefault(key, entry)
            first, second = sorted((leader_of(entry), leader_of(other)))
            leader[second] = first
    groups: dict[str, list[str]] = {}
    for entry in programs.by_entry:
        groups.setdefault(leader_of(entry), []).append(entry)
    return list(groups.values())


def find_programs(
    imports: TreeImports,
    ours: Iterable[str],
    targets: Iterable[str],
    known: Mapping[str, Program] = MappingProxyType({}),
) -> Programs:
    """The programs with at least one file out of `ours` and one out of `targets`.

    A file of both that no entry reaches is a program of its own. `known` are programs of these imports, by
    their entries.
    """
    ours, targets = frozenset(ours), frozenset(targets)
    possible = may_reach(imports, ours) & may_reach(imports, targets)
    found: list[Program] = []
    for entry in entries_of(imports):
        if entry in possible:
            program = known.get(entry) or Program(entry, *imports.reached_from(entry))
            if not (program.files.isdisjoint(ours) or program.files.isdisjoint(targets)):
                found.append(program)
    covered = frozenset[str]().union(*(program.files for program in found))
    found += [Program(key, *imports.reached_from(key)) for key in sorted((ours & targets) - covered)]
    return Programs.of(imports, found)
