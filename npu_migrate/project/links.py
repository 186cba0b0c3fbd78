"""The imports between the files of programs that agree on what they mean (see `Programs.agreeing`)."""

from __future__ import annotations

from dataclasses import dataclass, field

from npu_migrate.project.programs import Programs


@dataclass(frozen=True, slots=True)
class Links:
    """What imports mean, who imports a file, and with which files it runs. Answers are kept."""

    programs: Programs
    _resolved: dict[tuple[str, str, int], str | None] = field(default_factory=dict, repr=False)
    _importers: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False)

    def resolve(self, key: str, module: str, level: int) -> str | None:
        """The file that `key` means by `module` behind `level` dots; None if it is outside the tree."""
        question = (key, module, level)
        if question not in self._resolved:
            entries = self.programs_of(key)
            self._resolved[question] = (
                self.programs.resolve(entries[0], key, module, level) if entries else None
            )
        return self._resolved[question]

    def importers(self, key: str) -> tuple[str, ...]:
        """The files, in order, whose imports execute the file `key`."""
        if not self._importers:
            self._importers.update(_importers(self.programs))
        return self._importers.get(key, ())

    def programs_of(self, key: str) -> tuple[str, ...]:
        """The entries, in order, of the programs that `key` belongs to."""
        return self.programs.programs_of(key)

    def files_of(self, entry: str) -> frozenset[str]:
        """The files of the program that starts with `entry`."""
        return self.programs.by_entry[entry].files

    def neighbours(self, key: str) -> frozenset[str]:
        """The files of all programs that `key` belongs to, itself included."""
        return frozenset((key,)).union(*(self.files_of(entry) for entry in self.programs_of(key)))


def _importers(programs: Programs) -> dict[str, tuple[str, ...]]:
    found: dict[str, set[str]] = {}
    for key, entries in programs.by_file.items():
        for entry in entries:
            for target in programs.imports.imports_of(key, programs.by_entry[entry].search_path):
                found.setdefault(target, set()).add(key)
    return {key: tuple(sorted(importers)) for key, importers in found.items()}
