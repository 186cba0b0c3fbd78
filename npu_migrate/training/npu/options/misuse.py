"""Statements that do not use a parameter map as protobuf wants it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, cast

from npu_migrate.index.facts import Attribute, Expr, FileFacts, Subscript
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import origins
from npu_migrate.training.npu.configs import FIELDS, entries

Kind = Literal["item assigned", "item read", "unknown field"]


class Misuse(NamedTuple):
    """A statement that fails, or leaves a key without a value; `place` is the target or the item."""

    kind: Kind
    place: Ref
    field: str = ""


@once
def misuses(project: Project) -> tuple[Misuse, ...]:
    """All such statements about the parameter maps of NpuOptimizer entries, in order of file and place."""
    added = {id(entry.added.expr) for entry in entries(project)}
    return tuple(
        found
        for key in (project.files_mentioning("parameter_map") if added else ())
        for found in _misuses_in(project, cast(FileFacts, project.facts(key)), added)
    )


def _misuses_in(project: Project, facts: FileFacts, added: set[int]) -> Iterator[Misuse]:
    for statement in facts.statements:
        for target in statement.targets if statement.kind in ("Assign", "AnnAssign") else ():
            if target is None:
                continue
            place = Ref(facts.key, statement.scope, statement.id, target)
            if isinstance(target, Attribute) and target.attr not in FIELDS:
                if _is_item(project, place, target.value, added):
                    yield Misuse("unknown field", place, target.attr)
            elif _is_item(project, place, target, added):
                yield Misuse("item assigned", place)
        for value in statement.values if statement.kind == "Expr" else ():
            place = Ref(facts.key, statement.scope, statement.id, value)
            if _is_item(project, place, value, added):
                yield Misuse("item read", place)


def _is_item(project: Project, place: Ref, item: Expr, added: set[int]) -> bool:
    """Whether an expression is ``entry.parameter_map[key]``, of an NpuOptimizer entry for certain."""
    if not isinstance(item, Subscript):
        return False
    maps = origins(project, place._replace(expr=item.value))
    return bool(maps) and all(
        isinstance(one.expr, Attribute)
        and one.expr.attr == "parameter_map"
        and all(id(made.expr) in added for made in origins(project, one._replace(expr=one.expr.value)))
        for one in maps
    )
