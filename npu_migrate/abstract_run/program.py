"""One program of a project, as the machine wants it; what it asks is kept for all paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from npu_migrate.index.facts import Binding, FileFacts, Statement
from npu_migrate.project.project import Project


class ProgramFiles:
    """The files of the program that starts with `entry`."""

    def __init__(self, project: Project, entry: str) -> None:
        self.project = project
        self.entry = entry
        self._bound: dict[str, dict[int, list[tuple[str, Binding]]]] = {}
        self._resolved: dict[tuple[str, str, int], str | None] = {}

    def facts(self, key: str) -> FileFacts | None:
        """The facts of a file; None for one that cannot be parsed."""
        return self.project.facts(key)

    def resolve(self, importer: str, module: str, level: int) -> str | None:
        """The file that an import means in this program."""
        question = (importer, module, level)
        if question not in self._resolved:
            self._resolved[question] = self.project.programs.resolve(self.entry, importer, module, level)
        return self._resolved[question]

    def blocks(self, key: str) -> Mapping[tuple[int, str], tuple[Statement, ...]]:
        """The statements of a file by the block they lie in."""
        return self.project.blocks(key)

    def bound_at(self, key: str) -> Mapping[int, Sequence[tuple[str, Binding]]]:
        """The names that each statement of a file binds."""
        found = self._bound.get(key)
        if found is None:
            found = self._bound[key] = {}
            facts = self.facts(key)
            assert facts is not None
            for _, name, binding in facts.bindings():
                found.setdefault(binding.statement, []).append((name, binding))
        return found
