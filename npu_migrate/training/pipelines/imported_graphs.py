"""Programs that import a saved graph and run it by the names of its ops: a pipeline may run there unseen."""

from __future__ import annotations

from collections.abc import Iterable

from npu_migrate.index.facts import Constant, FileFacts, argument, last_name, walk
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref

_IMPORTERS = ("import_meta_graph", "import_graph_def")


@once
def programs_running_imported_graphs(project: Project) -> frozenset[str]:
    """The entries of programs with a file that imports a graph and fetches by name, unfed [TF]."""
    return frozenset(program for call in _imports(project) for program in project.programs_of(call.key))


def imported_graphs(project: Project, programs: Iterable[str]) -> tuple[Ref, ...]:
    """The calls that import a graph in one of the programs, in files that fetch by name, unfed."""
    wanted = set(programs)
    return tuple(call for call in _imports(project) if wanted.intersection(project.programs_of(call.key)))


@once
def _imports(project: Project) -> tuple[Ref, ...]:
    found: list[Ref] = []
    for name in _IMPORTERS:
        for key, site in project.calls_named(name):
            facts = project.facts(key)
            if facts is not None and _fetches_by_name(facts):
                found.append(Ref(key, site.scope, site.statement, site.call))
    return tuple(found)


def _fetches_by_name(facts: FileFacts) -> bool:
    for site in facts.calls:
        fetched = argument(site.call, "fetches", 0) if last_name(site.call.func) == "run" else None
        if fetched is None or argument(site.call, "feed_dict", 1) is not None:
            continue
        if any(isinstance(part, Constant) and isinstance(part.value, str) for part in walk(fetched)):
            return True
    return False
