"""Programs that import a graph and run it there: a pipeline may run in the copy unseen.

That is so where a program fetches by name from a graph that it imports, and where it imports what it may have
exported itself.
"""

from __future__ import annotations

from collections.abc import Iterable

from npu_migrate.index.facts import Attribute, Call, Constant, FileFacts, argument, last_name, walk
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.training.pipelines.graph_files.formats import may_be_read
from npu_migrate.training.pipelines.graph_files.read import graphs_read
from npu_migrate.training.pipelines.graph_files.written import graphs_of

_IMPORTERS = ("import_meta_graph", "import_graph_def", "from_saved_model")
_LOADERS = ("loader", "saved_model")
_EXPORTERS = (
    "add_meta_graph_and_variables",
    "as_graph_def",
    "convert_variables_to_constants",
    "export_meta_graph",
    "extract_sub_graph",
    "simple_save",
    "write_graph",
)
_SAVES_META_GRAPH = "save"
"""A ``Saver`` writes the description of its graph beside the variables, for ``import_meta_graph``."""


@once
def programs_running_imported_graphs(project: Project) -> frozenset[str]:
    """The entries of programs that import a graph and fetch by name, unfed, or also export one [TF]."""
    exporting, saving = _calling(project, _EXPORTERS), _calling(project, (_SAVES_META_GRAPH,))
    return frozenset(
        program
        for call in _imports(project)
        for program in project.programs_of(call.key)
        if program in exporting
        or (program in saving and _imports_meta_graph(call))
        or _fetches_by_name_in(project, call)
        or _may_import_its_own(project, program, call)
    )


def may_run_imported(project: Project, key: str) -> bool:
    """Whether a program with the file `key` may run what is in it in a graph that it imports."""
    return not programs_running_imported_graphs(project).isdisjoint(project.programs_of(key))


def imported_graphs(project: Project, programs: Iterable[str]) -> tuple[Ref, ...]:
    """The calls that import a graph in one of the programs that run it."""
    wanted = programs_running_imported_graphs(project).intersection(programs)
    return tuple(call for call in _imports(project) if wanted.intersection(project.programs_of(call.key)))


@once
def _imports(project: Project) -> tuple[Ref, ...]:
    found = [ref_of_call(key, site) for name in _IMPORTERS for key, site in project.calls_named(name)]
    for key, site in project.calls_named("load"):
        function = site.call.func
        if isinstance(function, Attribute) and last_name(function.value) in _LOADERS:
            found.append(ref_of_call(key, site))
    return tuple(found)


def _may_import_its_own(project: Project, program: str, call: Ref) -> bool:
    """Whether what a call imports can be a graph that the program writes, be it that nobody asks for that."""
    read = [one for one in graphs_read(project, call.key) if one.place == call.place]
    return any(
        may_be_read(written, one.format, one.name) for written in graphs_of(project, program) for one in read
    )


def _imports_meta_graph(call: Ref) -> bool:
    return isinstance(call.expr, Call) and last_name(call.expr.func) == "import_meta_graph"


@once
def _calling(project: Project, names: tuple[str, ...]) -> frozenset[str]:
    """The entries of programs that call something by one of `names`."""
    return frozenset(
        program
        for name in names
        for key, _ in project.calls_named(name)
        for program in project.programs_of(key)
    )


def _fetches_by_name_in(project: Project, call: Ref) -> bool:
    facts = project.facts(call.key)
    return facts is not None and _fetches_by_name(facts)


def _fetches_by_name(facts: FileFacts) -> bool:
    for site in facts.calls:
        fetched = argument(site.call, "fetches", 0) if last_name(site.call.func) == "run" else None
        if fetched is None or argument(site.call, "feed_dict", 1) is not None:
            continue
        if any(isinstance(part, Constant) and isinstance(part.value, str) for part in walk(fetched)):
            return True
    return False
