"""Who imports whom in a tree, as seen from an entry script.

The same ``import utils`` means another file in every project of a zoo, because Python looks first in the
folder of the script that was started. So an edge of this graph depends on a search path, and the search
path on the entry.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from npu_migrate.programs.imports import OPEN, ImportedModule, scan_imports, with_line_feeds
from npu_migrate.programs.modules import PACKAGE_FILE, Layout, executed_by, folder_of, modules_beginning
from npu_migrate.programs.search_path import NO_ADDITIONS, PathAdditions, path_additions

_GUARD = re.compile(rb"[ \t]*if\b.*__main__")
_APP_RUN = re.compile(rb"[^#'\"]*\bapp\.run\(")


@dataclass(frozen=True, slots=True)
class Survey:
    """What the bytes of one file say about its place among the others.

    `script`: it has a ``__main__`` guard or calls ``app.run``.
    """

    imports: tuple[ImportedModule, ...] = ()
    script: bool = False
    additions: PathAdditions = NO_ADDITIONS

    @property
    def relative(self) -> bool:
        """Whether it imports relatively, which a file started by its path cannot do."""
        return any(imported.level for imported in self.imports)


def survey(key: str, data: bytes, root: str) -> Survey:
    """Look at the bytes of the file `key` of the tree at `root`, without parsing them."""
    text = with_line_feeds(data)
    script = _has_line(text, b"__main__", _GUARD) or _has_line(text, b"app.run(", _APP_RUN)
    return Survey(scan_imports(text), script, path_additions(key, data, root))


def _has_line(data: bytes, mark: bytes, line: re.Pattern[bytes]) -> bool:
    """Whether one of the lines that contain `mark` matches `line`; most files have none to try."""
    position = data.find(mark)
    while position >= 0:
        if line.match(data, data.rfind(b"\n", 0, position) + 1):
            return True
        position = data.find(mark, position + len(mark))
    return False


SearchPath = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TreeImports:
    """The imports between the files of one tree; `src` are further folders with top-level modules.

    The contents never change; what was worked out once is kept.
    """

    layout: Layout
    surveys: Mapping[str, Survey]
    src: tuple[str, ...]
    _edges: dict[tuple[str, SearchPath], tuple[str, ...]] = field(default_factory=dict, repr=False)
    _asked: dict[SearchPath, dict[str, tuple[str, ...]]] = field(default_factory=dict, repr=False)
    _own: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    _mentioning: dict[str, frozenset[str]] = field(default_factory=dict, repr=False)
    _paths: dict[tuple[str, SearchPath, SearchPath], SearchPath] = field(default_factory=dict, repr=False)
    _above: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False)

    @staticmethod
    def of(layout: Layout, surveys: Mapping[str, Survey], src: Sequence[str] = ()) -> TreeImports:
        """The imports between the files of `layout`; see `narrowing` for what `surveys` need not have."""
        return TreeImports(layout, surveys, tuple(src))

    def after(self, surveys: Mapping[str, Survey]) -> TreeImports:
        """The imports between the same files, of which some have other `surveys` by now."""
        return TreeImports(
            self.layout,
            {**self.surveys, **surveys},
            self.src,
            {asked: found for asked, found in self._edges.items() if asked[0] not in surveys},
            {
                path: {importer: found for importer, found in asked.items() if importer not in surveys}
                for path, asked in self._asked.items()
            },
            {importer: found for importer, found in self._own.items() if importer not in surveys},
            self._mentioning_after(surveys),
        )

    def search_path(self, entry: str, additions: Sequence[PathAdditions] = ()) -> SearchPath:
        """Where a program that starts with `entry` finds its modules, first folder first.

        That is: folders put in front, the script's own folder (not for a file that only works as part of
        its package), the folders above it up to the root with their ``src`` layouts (a script may be
        started from any of them), the configured `src` folders, and folders put behind.
        """
        start = folder_of(entry)
        if entry.endswith(f"/{PACKAGE_FILE}") or self.surveys[entry].relative:
            start = "" if start == self.layout.root else folder_of(start)
        front = tuple(folder for added in additions for folder in added.front)
        behind = tuple(folder for added in additions for folder in added.behind)
        question = (start, front, behind)
        found = self._paths.get(question)
        if found is None:
            folders = self.layout.folders
            asked = (*front, *self._searched_from(start), *self.src, *behind)
            found = self._paths[question] = tuple(dict.fromkeys(folders[f] for f in asked if f in folders))
        return found

    def _searched_from(self, folder: str) -> tuple[str, ...]:
        """A folder and those above it up to the root, each with its ``src`` layout."""
        known = self._above.get(folder)
        if known is None:
            if folder not in self.layout.folders:
                return ()
            above = () if folder == self.layout.root else self._searched_from(folder_of(folder))
            known = self._above[folder] = (folder, *self._src_layout(folder), *above)
        return known

    def own_path(self, key: str) -> SearchPath:
        """The search path of the program that starts with `key`, before other files add to it."""
        return self.search_path(key, [self.surveys[key].additions])

    def imports_of(self, importer: str, search_path: SearchPath) -> tuple[str, ...]:
        """The files that `importer` executes by its own import statements, each once.

        Only the folders that have a module of a name it asks for decide, so most programs share the answer.
        """
        asked = self._asked.setdefault(search_path, {})
        found = asked.get(importer)
        if found is None:
            holders = self._holders(importer)
            question = importer, tuple(f for f in search_path if any(f in having for having in holders))
            found = self._edges.get(question)
            if found is None:
                found = self._edges[question] = tuple(dict.fromkeys(self._executed(*question)))
            asked[importer] = found
        return found

    def _holders(self, importer: str) -> list[frozenset[str]]:
        """For each module that is not asked for relatively, the folders that have one of its name."""
        firsts = dict.fromkeys(_first(i) for i in self.surveys[importer].imports if not i.level)
        return [self.layout.holders[first] for first in firsts if first in self.layout.holders]

    def own_imports(self, key: str) -> tuple[str, ...]:
        """The files that `key` imports when it is started itself."""
        found = self._own.get(key)
        if found is None:
            found = self._own[key] = self.imports_of(key, self.own_path(key))
        return found

    def mentioning(self, name: str) -> frozenset[str]:
        """The files that have an import which could mean a module or package of this `name`."""
        if not self._mentioning:
            self._mentioning.update(_by_name(self.surveys))
        return self._mentioning.get(name, frozenset())

    def _mentioning_after(self, surveys: Mapping[str, Survey]) -> dict[str, frozenset[str]]:
        if not self._mentioning:
            return {}
        found = dict(self._mentioning)
        for name in {name for key in surveys for name in _mentioned(key, self.surveys[key])}:
            found[name] = found[name].difference(surveys)
        for name, keys in _by_name(surveys).items():
            found[name] = found.get(name, frozenset()) | keys
        return found

    def reached_from(self, entry: str) -> tuple[frozenset[str], SearchPath]:
        """All files of the program that starts with `entry`, and its search path.

        The path contains what any of these files adds to it, wherever in the program that happens.
        """
        path = self.own_path(entry)
        adding: set[str] = set()
        while True:
            files = self._closure(entry, path)
            # What has been added stays, even if its module is another file on the path that it makes.
            adding |= files - {entry}
            wider = self.search_path(entry, [self.surveys[key].additions for key in (entry, *sorted(adding))])
            if wider == path:
                return files, path
            path = wider

    def _closure(self, entry: str, search_path: SearchPath) -> frozenset[str]:
        reached = {entry}
        border: Iterable[str] = (entry,)
        while border:
            found = frozenset[str]().union(*(self.imports_of(key, search_path) for key in border))
            border = found - reached
            reached |= found
        return frozenset(reached)

    def _executed(self, importer: str, search_path: Sequence[str]) -> Iterator[str]:
        for imported in self.surveys[importer].imports:
            for key in executed_by(self.layout, importer, imported, search_path):
                if key != importer:
                    yield key

    def _src_layout(self, folder: str) -> tuple[str, ...]:
        src = f"{folder}/src"
        return () if self.layout.is_package(src) else (src,)


def narrowing(layout: Layout) -> Callable[[Survey], Survey]:
    """A function that takes from surveys the imports and names that cannot lead to a file of `layout`, and
    says which names those stand for of which only the beginning is known.

    What is equal then is one object in all surveys that it gives: a large tree has few different imports.
    """
    within = layout.holders
    modules: dict[ImportedModule, ImportedModule] = {}
    surveys: dict[Survey, Survey] = {}

    def narrowed(surveyed: Survey) -> Survey:
        kept: dict[ImportedModule, None] = {}
        for imported in surveyed.imports:
            if imported.level or _first(imported) in within:
                names = tuple(_names_within(layout, imported))
                asked = ImportedModule(imported.module, imported.level, names)
                kept[modules.setdefault(asked, asked)] = None
        found = replace(surveyed, imports=tuple(kept))
        return surveys.setdefault(found, found)

    return narrowed


def _names_within(layout: Layout, imported: ImportedModule) -> Iterator[str]:
    for name in imported.names:
        if name.endswith(OPEN) and imported.level:
            # Which folder it is depends on the file: what is in none of its folders is looked for in vain.
            yield from layout.beginning(name.removesuffix(OPEN))
        elif name.endswith(OPEN):
            yield from modules_beginning(layout, imported.module, name.removesuffix(OPEN))
        elif name in layout.holders:
            yield name


def _by_name(surveys: Mapping[str, Survey]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for key, surveyed in surveys.items():
        for name in _mentioned(key, surveyed):
            found.setdefault(name, set()).add(key)
    return {name: frozenset(keys) for name, keys in found.items()}


def _mentioned(key: str, surveyed: Survey) -> set[str]:
    """The names of all modules and packages that a file's imports could mean."""
    names: set[str] = set()
    for imported in surveyed.imports:
        names.update(imported.module.split("."), imported.names)
        if imported.level:
            names.add(key.split("/")[-1 - imported.level] if imported.level < key.count("/") else "")
    return names


def _first(imported: ImportedModule) -> str:
    return imported.module.partition(".")[0]
