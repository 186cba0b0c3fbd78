"""Whether a pipeline may run in a script that imports a graph of the program that builds it.

There it is a copy: what the program does to initialize its iterator is not done in that script.
"""

from __future__ import annotations

from npu_migrate.index.facts import Attribute, Call, Collection
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.uses import Use, uses
from npu_migrate.training.pipelines.graph_files.formats import Written, may_be_read
from npu_migrate.training.pipelines.graph_files.read import Import, graphs_read, may_run_unfed
from npu_migrate.training.pipelines.graph_files.written import graphs_of, graphs_written
from npu_migrate.training.pipelines.iterators import Creation

_DESCRIPTIONS = ("output_types", "output_shapes", "output_classes")
_OF_TENSORS = ("shape", "dtype", "name", "get_shape", "set_shape", "op")


def imported_elsewhere(project: Project, creation: Creation) -> Import | None:
    """The place, if any, where another script imports a graph in which it may run this iterator."""
    ref = creation.ref
    programs = [project.programs.by_entry[entry] for entry in project.programs_of(ref.key)]
    if not any(program.graph_readers for program in programs):
        return None
    apart = _stands_apart(project, ref)
    found = (_importing(project, program.entry, apart) for program in programs)
    return next((one for one in found if one is not None), None)


@once
def _importing(project: Project, entry: str, apart: bool) -> Import | None:
    """The first import that may run what a program writes, directly or after others have converted it."""
    program = project.programs.by_entry[entry]
    left = [reader for reader in program.graph_readers if graphs_read(project, reader.key)]
    # What a program writes is dearer to say: that takes all of its files.
    if not any(may_run_unfed(project, reader.key, reader.alone, apart) for reader in left):
        return None
    written = list(graphs_of(project, entry))
    while written:
        reading = {
            reader: found
            for reader in left
            if (found := _first_read(project, reader.key, written)) is not None
        }
        for reader, found in reading.items():
            if may_run_unfed(project, reader.key, reader.alone, apart):
                return found
        left = [reader for reader in left if reader not in reading]
        written = [one for reader in reading for one in graphs_written(project, reader.key, True)]
    return None


def _first_read(project: Project, key: str, written: list[Written]) -> Import | None:
    return next(
        (
            one
            for one in graphs_read(project, key)
            if any(may_be_read(kept, one.format, one.name) for kept in written)
        ),
        None,
    )


@once
def _stands_apart(project: Project, ref: Ref) -> bool:
    """Whether the elements of an iterator are only fetched: nothing else in the graph stands on it then."""
    for use in uses(project, ref):
        if use.kind != "attribute" or use.name not in ("get_next", *_DESCRIPTIONS):
            return False
        if use.name == "get_next":
            made = project.parent_ref(use.ref)
            if made is None or not isinstance(made.expr, Call) or not _is_only_fetched(project, made, 0):
                return False
    return True


def _is_only_fetched(project: Project, ref: Ref, depth: int) -> bool:
    return depth < 4 and all(_fetches(project, use, depth) for use in uses(project, ref))


def _fetches(project: Project, use: Use, depth: int) -> bool:
    expr = use.ref.expr
    if use.kind == "argument":
        func = expr.func if isinstance(expr, Call) else None
        return isinstance(func, Attribute) and func.attr == "run" and use.name in ("0", "fetches")
    if use.kind == "contained":
        return isinstance(expr, Collection) and _is_only_fetched(project, use.ref, depth + 1)
    if use.kind == "attribute":
        return use.name in _OF_TENSORS
    if use.kind == "unpacked":
        targets = [one for one in project.statement(use.ref).targets if isinstance(one, Collection)]
        return bool(targets) and all(
            _is_only_fetched(project, use.ref._replace(path=(*use.ref.path, index)), depth + 1)
            for target in targets
            for index in range(len(target.items))
        )
    return False
