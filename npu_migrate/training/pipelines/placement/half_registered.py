"""Iterators that are registered in ``TABLE_INITIALIZERS``, and whose sessions never run that collection."""

from __future__ import annotations

from npu_migrate.index.facts import Attribute, Call, argument
from npu_migrate.index.names import code_scope
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.uses import uses
from npu_migrate.training.pipelines.iterators import Creation
from npu_migrate.training.pipelines.owners import owners_of
from npu_migrate.training.pipelines.partition.op_parts import is_tables_collection

_RUN_TABLES = (
    b"tables_initializer",
    b"initialize_all_tables",
    b"get_collection",
    b"Scaffold",
    b"Supervisor",
    b"Monitored",
    b"stimator",
    b"learning.train",
)


def is_only_registered(project: Project, creation: Creation) -> bool:
    """Whether nothing but registering is done with the initializer, for plain sessions in a program that
    never runs what is registered."""
    ref = creation.ref
    read = [use for use in uses(project, ref) if use.kind == "attribute" and use.name == "initializer"]
    if not read or not all(_is_registered(project, use.ref) for use in read):
        return False
    if any(use.kind not in ("attribute", "tested") for use in uses(project, ref)):
        return False
    facts = project.facts(ref.key)
    assert facts is not None
    owners = owners_of(project, ref.key, code_scope(facts, ref.scope), ref.statement)
    if not owners.complete or not all(one.session and one.session.kind == "raw" for one in owners.found):
        return False
    programs = set(project.programs_of(ref.key))
    files = [
        key
        for key in sorted(project.ours | project.supporting)
        if programs.intersection(project.programs_of(key))
    ]
    return not any(_reads_collection(project, key) for key in files)


def is_registered(project: Project, creation: Creation) -> bool:
    """Whether the program registers the iterator's initializer already."""
    return any(
        use.kind == "attribute" and use.name == "initializer" and _is_registered(project, use.ref)
        for use in uses(project, creation.ref)
    )


def _is_registered(project: Project, ref: Ref) -> bool:
    """Whether ``iterator.initializer`` stands in ``add_to_collection(TABLE_INITIALIZERS, …)``."""
    call = project.parent_ref(ref)
    return (
        call is not None
        and isinstance(call.expr, Call)
        and isinstance(call.expr.func, Attribute)
        and call.expr.func.attr in ("add_to_collection", "add_to_collections")
        and is_tables_collection(project, call, argument(call.expr, "name", 0))
    )


def _reads_collection(project: Project, key: str) -> bool:
    """Whether a file runs, reads or hands on what is registered, or may."""
    return any(project.contains(key, word) for word in _RUN_TABLES)
