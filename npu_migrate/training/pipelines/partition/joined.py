"""Which runs hold an iterator's initializer together with variables that are assigned (NPU108)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from npu_migrate.index.facts import Call, argument
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.resolution import external_names
from npu_migrate.training.pipelines.partition.choices import exclude_each_other, is_ruled_out
from npu_migrate.training.pipelines.partition.executions import Execution, executions
from npu_migrate.training.pipelines.partition.initial_zeros import Start, local_start
from npu_migrate.training.pipelines.partition.op_parts import (
    INITIALIZER_ATTRIBUTES,
    INITIALIZER_MAKERS,
    Kind,
    Part,
    alternatives,
)
from npu_migrate.training.pipelines.registration import registrations


class Joined(NamedTuple):
    """A run with both: of its `parts`, `data` initialize iterators and `variables` assign variables."""

    execution: Execution
    parts: tuple[Part, ...]
    data: tuple[Part, ...]
    variables: tuple[Part, ...]


def joined(project: Project, key: str, tables: bool) -> tuple[Joined, ...]:
    """The runs of both in the programs of a file, where `tables` tells that an iterator is registered."""
    programs = set(project.programs_of(key))
    return tuple(
        one
        for execution in executions(project)
        if programs.intersection(project.programs_of(execution.call.key))
        for one in _joined(project, execution, tables)
    )


def joined_by_itself(project: Project, execution: Execution) -> tuple[Joined, ...]:
    """What a place runs of both, as the program is."""
    tables = registers_iterators(project, execution.call.key)
    if not tables:
        near = project.neighbours(execution.call.key)
        if any(files.isdisjoint(near) for files in _initializing_iterators(project)):
            return ()
    return tuple(_joined(project, execution, tables))


@once
def _initializing_iterators(project: Project) -> tuple[frozenset[str], ...]:
    """The files that may make an iterator, and those that may ask one for its initializer.

    A run that initializes an iterator needs both in its programs, which most have not.
    """
    return (
        frozenset(key for word in INITIALIZER_MAKERS for key in project.files_mentioning(word)),
        frozenset(
            key
            for word in INITIALIZER_ATTRIBUTES
            for key in project.files_mentioning(word)
            if project.attributes(key, word)
        ),
    )


def _joined(project: Project, execution: Execution, tables: bool) -> Iterator[Joined]:
    for parts in alternatives(project, execution.op):
        data = [part for part in parts if is_data(part, tables)]
        assigned = list(assigning(project, execution.call.key, parts)) if data else []
        pairs = [(one, other) for one in data for other in assigned if _may_meet(one, other)]
        if pairs and not is_ruled_out(project, execution.call):
            first, second = zip(*pairs, strict=True)
            yield Joined(execution, parts, tuple(dict.fromkeys(first)), tuple(dict.fromkeys(second)))


def _may_meet(one: Part, other: Part) -> bool:
    return not exclude_each_other(one.choices, other.choices)


def is_data(part: Part, tables: bool) -> bool:
    """Whether a part initializes an iterator."""
    return part.kind is Kind.ITERATOR or (tables and part.kind is Kind.TABLES)


def assigning(project: Project, key: str, parts: Iterable[Part], doubtful: bool = False) -> Iterator[Part]:
    """The parts that give variables a value other than 0; with `doubtful` also those that may."""
    local = local_start(project, key)
    locals_count = local is Start.OTHER or (doubtful and local is Start.UNKNOWN)
    for part in parts:
        if part.kind is Kind.VARIABLES or (part.kind is Kind.LOCALS and locals_count):
            yield part


def registers_iterators(project: Project, key: str) -> bool:
    """Whether the programs of a file register an iterator's initializer in ``TABLE_INITIALIZERS``."""
    programs = set(project.programs_of(key))
    return any(programs.intersection(project.programs_of(one)) for one in _registering(project))


@once
def _registering(project: Project) -> frozenset[str]:
    return frozenset(ref.key for ref in iterator_registrations(project))


def iterator_registrations(project: Project) -> Iterator[Ref]:
    """The calls that register an iterator's initializer."""
    for ref in registrations(project):
        assert isinstance(ref.expr, Call)
        value = argument(ref.expr, "value", 1)
        if value is not None and any(
            part.kind is Kind.ITERATOR
            for parts in alternatives(project, ref._replace(expr=value))
            for part in parts
        ):
            yield ref


def has_unseen_tables(project: Project, key: str) -> bool:
    """Whether the programs of a file speak of ``tf.tables_initializer`` where nobody is seen to run it.

    Such an op may be part of a run together with variables.
    """
    programs = set(project.programs_of(key))
    mentioned = [
        ref for ref in _mentions_of_tables(project) if programs.intersection(project.programs_of(ref.key))
    ]
    return bool(mentioned) and any(id(ref.expr) not in _seen_tables(project) for ref in mentioned)


@once
def _seen_tables(project: Project) -> frozenset[int]:
    """The functions whose calls are parts of what is run."""
    return frozenset(
        id(part.leaf.expr.func)
        for execution in executions(project)
        for parts in alternatives(project, execution.op)
        for part in parts
        if part.kind is Kind.TABLES and isinstance(part.leaf.expr, Call)
    )


@once
def _mentions_of_tables(project: Project) -> tuple[Ref, ...]:
    return tuple(
        project.ref_of(facts.key, site)
        for facts in project.relevant()
        for word in ("tables_initializer", "initialize_all_tables")
        if word in facts.words
        for site in (*project.names(facts.key, word), *project.attributes(facts.key, word))
        if not site.stored
        and tf.TABLES_INITIALIZER in external_names(project, facts.key, site.scope, site.expr)
    )
