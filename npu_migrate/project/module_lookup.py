"""Which file an import means in all programs that share the importing file, and who imports whom by that."""

from __future__ import annotations

from collections.abc import Collection

from npu_migrate.programs.graph import SearchPath
from npu_migrate.programs.programs import Relevance


class ModuleLookup:
    """What the import statements of a tree say. Answers are kept; they stay true while imports do."""

    def __init__(self, relevance: Relevance) -> None:
        self._programs = relevance.programs
        self._with_role = relevance.ours | relevance.supporting
        self._modules: dict[tuple[str, str, int], str | None] = {}
        self._other_importers: dict[SearchPath, dict[str, set[str]]] = {}
        self._neighbours: dict[tuple[str, ...], frozenset[str]] = {}
        self._representatives: dict[str, tuple[str, ...]] = {}

    def resolve(self, key: str, module: str, level: int) -> str | None:
        """The file that `key` means by ``module``; None outside the project.

        None too when the programs that share the file mean different files by it.
        """
        question = (key, module, level)
        if question not in self._modules:
            found = {
                self._programs.resolve(entry, key, module, level) for entry in self._representatives_of(key)
            }
            self._modules[question] = found.pop() if len(found) == 1 else None
        return self._modules[question]

    def other_importers(self, home: str) -> tuple[str, ...]:
        """The files without a role of their own that import the file `home`, or are it, in order."""
        paths = {self._programs.by_entry[entry].search_path for entry in self._programs.programs_of(home)}
        found = (self._other_importers_on(path).get(home, ()) for path in paths)
        return tuple(sorted(set().union(*found)))

    def _other_importers_on(self, path: SearchPath) -> dict[str, set[str]]:
        """For each file those without a role that import it, or are it, in one of the programs with a search
        path."""
        known = self._other_importers.get(path)
        if known is None:
            known = self._other_importers[path] = {}
            programs = (one for one in self._programs.by_entry.values() if one.search_path == path)
            for key in set().union(*(one.files for one in programs)) - self._with_role:
                for home in (key, *self._programs.imports.imports_of(key, path)):
                    known.setdefault(home, set()).add(key)
        return known

    def neighbours(self, key: str) -> frozenset[str]:
        """The files of all programs that `key` belongs to, itself included."""
        entries = self._programs.programs_of(key)
        if not entries:
            return frozenset({key})
        known = self._neighbours.get(entries)
        if known is None:
            known = self._neighbours[entries] = self._programs.neighbours_of((key,))
        return known

    def reaching(self, keys: Collection[str]) -> frozenset[str]:
        """`keys`, and the files from which modules were resolved to one of these, directly or not."""
        importers: dict[str, set[str]] = {}
        for (key, _, _), module in self._modules.items():
            if module is not None:
                importers.setdefault(module, set()).add(key)
        found = set(keys)
        stack = [*keys]
        while stack:
            further = importers.get(stack.pop(), set()) - found
            found |= further
            stack.extend(further)
        return frozenset(found)

    def _representatives_of(self, key: str) -> tuple[str, ...]:
        """One of the file's programs for each search path among them: the others find the same modules."""
        known = self._representatives.get(key)
        if known is None:
            by_path = {
                self._programs.by_entry[entry].search_path: entry for entry in self._programs.programs_of(key)
            }
            known = self._representatives[key] = tuple(sorted(by_path.values()))
        return known
