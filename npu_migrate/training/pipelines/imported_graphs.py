"""Programs that import a saved graph and run it by the names of its ops: a pipeline may run there unseen."""

from __future__ import annotations

from npu_migrate.index.facts import Constant, FileFacts, argument, last_name, walk
from npu_migrate.project.once import once
from npu_migrate.project.project import Project

_IMPORTERS = ("import_meta_graph", "import_graph_def")


@once
def programs_running_imported_graphs(project: Project) -> frozenset[str]:
    """The entries of programs with a file that imports a graph and fetches by name, unfed [TF]."""
    found: set[str] = set()
    for name in _IMPORTERS:
        for key, _ in project.calls_named(name):
            facts = project.facts(key)
            if facts is not None and _fetches_by_name(facts):
                found.update(project.programs_of(key))
    return frozenset(found)


def _fetches_by_name(facts: FileFacts) -> bool:
    for site in facts.calls:
        fetched = argument(site.call, "fetches", 0) if last_name(site.call.func) == "run" else None
        if fetched is None or argument(site.call, "feed_dict", 1) is not None:
            continue
        if any(isinstance(part, Constant) and isinstance(part.value, str) for part in walk(fetched)):
            return True
    return False
