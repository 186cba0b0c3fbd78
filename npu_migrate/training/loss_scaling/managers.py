"""Where loss-scale managers are constructed: npu_bridge's, TensorFlow's, and subclasses of either."""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.aliases import aliases_of
from npu_migrate.semantics.calls.function_calls import calls_of_value, values_of
from npu_migrate.semantics.inheritance import derived_classes
from npu_migrate.semantics.resolution import (
    Definition,
    External,
    Symbol,
    all_bases,
    definitions,
    scope_of,
)
from npu_migrate.training.npu.configs import calls_of


@once
def constructions(project: Project, name: str) -> tuple[Ref, ...]:
    """The calls that construct the class with the canonical name `name` or a subclass in the project.

    Calls through ``functools.partial`` and through names the class is handed on by count. In order of file
    and place.
    """
    found = {id(ref.expr): ref for ref in _constructions(project, name)}
    return tuple(sorted(found.values(), key=lambda ref: (ref.key, ref.expr.span)))


def _constructions(project: Project, name: str) -> Iterator[Ref]:
    yield from calls_of(project, name)
    yield from _indirect(project, External(name), name.rpartition(".")[2])
    for subclass in _subclasses(project, name):
        local = scope_of(project, subclass).name
        for spelling in sorted({local} | aliases_of(project, {local})):
            for key, site in project.calls_named(spelling):
                if subclass in definitions(project, key, site.scope, site.call.func):
                    yield ref_of_call(key, site)
        yield from _indirect(project, subclass, local)


def _indirect(project: Project, subject: Symbol, name: str) -> Iterator[Ref]:
    for value in values_of(project, subject, name):
        yield from calls_of_value(project, value)


def _subclasses(project: Project, name: str) -> Iterator[Definition]:
    for owner in derived_classes(project):
        if External(name) in all_bases(project, owner):
            yield owner
