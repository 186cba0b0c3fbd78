"""Rec SDK programs (REC-DOC:automatic_graph_modification.md)."""

from __future__ import annotations

from npu_migrate.knowledge.rec import GRAPH_MODIFIERS
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.semantics.resolution import external_names


def modifies_graph(project: Project, key: str) -> bool:
    """Whether a program of the file `key` uses Rec SDK's automatic graph modification."""
    modifying = _modifying_files(project)
    if not modifying:
        return False
    programs = set(project.programs_of(key))
    return any(programs & set(project.programs_of(other)) for other in modifying)


@once
def _modifying_files(project: Project) -> frozenset[str]:
    return frozenset(
        key
        for name in sorted(GRAPH_MODIFIERS)
        for key, site in project.calls_named(name)
        if any(
            found.startswith("mx_rec.") for found in external_names(project, key, site.scope, site.call.func)
        )
    )
