"""Which file an import means in all programs that share the importing file, and who imports whom by that."""

from __future__ import annotations

from collections.abc import Collection

from npu_migrate.programs.programs import Relevance


class ModuleLookup:
    """What the import statements of a tree say. Answers are kept; they stay true while imports do."""

    def __init__(self, relevance: Relevance) -> None:
        self._programs = relevance.programs
        self._with_role = relevance.ours | relevance.supporting
        self._modules: dict[tuple[str, str, int], str | None] = {}
        self._other_importers: dict[str, tuple[str, ...]] = {}
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
        """The files without a role of their own that import the file `home`, in order."""
        known = self._other_importers.get(home)
        if known is None:
            found = set()
            for entry in self._programs.programs_of(home):
                program = self._programs.by_entry[entry]
                for key in program.files - self._with_role:
                    if home in self._programs.imports.imports_of(key, program.search_path):
                        found.add(key)
            known = self._other_importers[home] = tuple(sorted(found))
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
