"""Fields that are stored to from outside of the object's own methods: ``trainer.session = tf.Session()``."""

from __future__ import annotations

from npu_migrate.index.facts import Attribute, FileFacts
from npu_migrate.index.stores import leaves
from npu_migrate.project.once import gathered, once_per_file
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.resolution import is_receiver

Filled = tuple[Ref, Attribute]
"""An object of which a field is stored to, and the target that says so."""


def filled_outside(project: Project, attr: str) -> tuple[Filled, ...]:
    """The objects to whose field any code stores, but for the own ones of methods."""
    return _filled(project).get(attr, ())


@gathered
def _filled(project: Project) -> dict[str, tuple[Filled, ...]]:
    found: dict[str, list[Filled]] = {}
    for facts in project.relevant():
        for attr, targets in stored_fields(project, facts).items():
            for number, target in targets:
                holder = Ref(facts.key, facts.statements[number].scope, number, target.value)
                if not is_receiver(facts, holder.scope, holder.expr):
                    found.setdefault(attr, []).append((holder, target))
    return {attr: tuple(one) for attr, one in found.items()}


@once_per_file
def stored_fields(facts: FileFacts) -> dict[str, tuple[tuple[int, Attribute], ...]]:
    """The attributes that a file stores to, whatever it does so with, and the numbers of the statements."""
    found: dict[str, list[tuple[int, Attribute]]] = {}
    for statement in facts.statements:
        for target in leaves(statement.targets) if statement.targets else ():
            if isinstance(target, Attribute):
                found.setdefault(target.attr, []).append((statement.id, target))
    return {attr: tuple(targets) for attr, targets in found.items()}
