"""One program of a project, as the machine wants it; what it asks is kept for all paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from npu_migrate.index.facts import Binding, FileFacts, Statement
from npu_migrate.programs.imports import ImportedModule, leading_imports
from npu_migrate.programs.modules import executed_by
from npu_migrate.project.once import once
from npu_migrate.project.project import Project


class ProgramFiles:
    """The files of the program that starts with `entry`."""

    def __init__(self, project: Project, entry: str) -> None:
        self.project = project
        self.entry = entry
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

    def always_imports(self, key: str) -> bool:
        """Whether the program imports a file before it does anything else."""
        if key not in self.project.programs.by_entry[self.entry].files:
            return False
        seen = {self.entry}
        waiting = [self.entry]
        while waiting and key not in seen:
            found = set(self._imported_at_once(waiting.pop())) - seen
            seen |= found
            waiting += found
        return key in seen

    def _imported_at_once(self, key: str) -> Iterator[str]:
        """The files that a file imports before it does anything else."""
        programs = self.project.programs
        path = programs.by_entry[self.entry].search_path
        for imported in _leading_imports(self.project, key):
            yield from executed_by(programs.imports.layout, key, imported, path)

    def blocks(self, key: str) -> Mapping[tuple[int, str], tuple[Statement, ...]]:
        """The statements of a file by the block they lie in."""
        return self.project.blocks(key)

    def imported_at(self, key: str) -> Mapping[int, Sequence[tuple[str, Binding]]]:
        """The names that each import statement of a file binds."""
        return self.project.imported_at(key)


@once
def _leading_imports(project: Project, key: str) -> tuple[ImportedModule, ...]:
    return leading_imports(project.python(key))
