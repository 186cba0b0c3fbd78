"""Keeps an iterator's initializer on the object that keeps the op it leaves, as in ``self.init_op = …``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from npu_migrate.index.facts import Attribute, Name
from npu_migrate.intents import InsertStatement, Side
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.training.pipelines.partition.op_parts import Kind, Part
from npu_migrate.training.pipelines.placement.code import code_of
from npu_migrate.training.pipelines.placement.spot import insert_at

_FIELD = "iterator_initializer"


class KeptBeside(NamedTuple):
    """The statement that keeps an initializer in a field beside the field `op` of the same object."""

    statement: InsertStatement
    op: str

    def code_at(self, place: Ref) -> str | None:
        """What reads it where the op is read from a name's field; None where it is read in another way."""
        expr = place.expr
        if isinstance(expr, Attribute) and expr.attr == self.op and isinstance(expr.value, Name):
            return f"{expr.value.id}.{_FIELD}"
        return None


def kept_beside(project: Project, data: Sequence[Part]) -> KeptBeside | None:
    """How the only iterator among `data` can be kept; None unless its op is made for a field of an object."""
    iterators = [part for part in data if part.kind is Kind.ITERATOR]
    if len(iterators) != 1 or project.files_mentioning(_FIELD):
        return None
    (part,) = iterators
    item, container = part.item, part.container
    if item is None or container is None:
        return None
    facts = project.facts(container.key)
    assert facts is not None
    statement = facts.statements[container.statement]
    if statement.kind != "Assign" or statement.values != (container.expr,) or len(statement.targets) != 1:
        return None
    target, code = statement.targets[0], code_of(item.expr)
    if not isinstance(target, Attribute) or not isinstance(target.value, Name) or code is None:
        return None
    line = f"{target.value.id}.{_FIELD} = {code}"
    return KeptBeside(insert_at(facts, (statement.id, Side.BEFORE.value), line, 0), target.attr)
