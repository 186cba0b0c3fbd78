"""In which order a program imports Rec SDK and scikit-learn.

Source: REC-DOC.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import NOTHING, Binding, FileFacts, ImportTarget
from npu_migrate.knowledge.rec import IMPORTED_FIRST
from npu_migrate.places import Place
from npu_migrate.project.once import once_per_file
from npu_migrate.project.project import Project

_REC = "mx_rec"


class Import(NamedTuple):
    """A top-level import of a file; `certain` tells that no condition or function is around it."""

    place: Place
    package: str
    certain: bool


class LateImport(NamedTuple):
    """An import that comes after that of Rec SDK."""

    late: Import
    rec: Import

    @property
    def here(self) -> bool:
        """Whether both stand in one file."""
        return self.late.place.path == self.rec.place.path


def late_import(project: Project, program: str) -> LateImport | None:
    """The import of scikit-learn that certainly comes after that of Rec SDK when a program starts."""
    files = project.programs.by_entry[program].files
    if not any(project.contains(key, IMPORTED_FIRST.encode()) for key in files):
        return None
    rec: Import | None = None
    for one in _in_order(project, files, program, set()):
        if one.package == _REC and one.certain:
            rec = rec or one
        elif one.package == IMPORTED_FIRST:
            return LateImport(one, rec) if rec is not None and one.certain else None
    return None


def _in_order(project: Project, files: frozenset[str], key: str, seen: set[str]) -> Iterator[Import]:
    """What the import of a file imports, with all files of the program that it leads to."""
    facts = project.facts(key)
    if facts is None or key in seen:
        return
    seen.add(key)
    if _others_load(project, files, key, facts.scopes[0].stars):
        yield Import(Place(key, (1, 0, 1, 0)), IMPORTED_FIRST, certain=False)
    for binding, certain in _imports(project, facts):
        assert binding.target is not None
        target = binding.target
        name = binding.loads or target.module
        inner = project.resolve_module(key, name, target.level)
        if inner is not None and inner in files:
            for one in _in_order(project, files, inner, seen):
                yield one._replace(certain=one.certain and certain)
        elif target.level == 0:
            place = Place(key, facts.statements[binding.statement].span)
            yield Import(place, name.partition(".")[0], certain)


def _others_load(project: Project, files: frozenset[str], key: str, stars: tuple[ImportTarget, ...]) -> bool:
    """Whether one of the star imports of a file, whose places are not known, may lead to scikit-learn.

    That of a package that is no part of the program leads to none of its files.
    """
    inside = any(project.resolve_module(key, star.module, star.level) in files for star in stars)
    return inside and any(
        other != key and project.contains(other, IMPORTED_FIRST.encode()) for other in files
    )


@once_per_file
def _imports(facts: FileFacts) -> tuple[tuple[Binding, bool], ...]:
    """The imports that run when the file is imported, in order, and whether nothing is around them."""
    found = [
        (binding, facts.statements[binding.statement].parent == NOTHING)
        for bindings in facts.scopes[0].bindings.values()
        for binding in bindings
        if binding.target is not None
    ]
    return tuple(sorted(found, key=lambda one: one[0].statement))
