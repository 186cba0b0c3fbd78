"""Where a value comes from, if its variable is used again: by the assignments that may hold where it is read.

``config = tf.ConfigProto()`` once more, for a second session, makes another config of the same name.
"""

from __future__ import annotations

from npu_migrate.index.facts import Name
from npu_migrate.index.names import lookup
from npu_migrate.project.once import once_at
from npu_migrate.project.project import Project
from npu_migrate.project.reaching import held_bindings
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import binding_sources, origins


@once_at
def latest_origins(project: Project, ref: Ref) -> tuple[Ref, ...]:
    """As `origins`, but by the assignments that may be the last ones of the function that reads a variable.

    Where these cannot be told, or where one is no plain assignment, all assignments count.
    """
    found: dict[tuple[int, tuple[int, ...]], Ref] = {}
    seen: set[tuple[int, tuple[int, ...]]] = set()
    stack = [ref]
    while stack:
        current = stack.pop()
        mark = (id(current.expr), current.path)
        if mark in seen:
            continue
        seen.add(mark)
        sources = _latest_sources(project, current)
        if sources is not None:
            stack.extend(reversed(sources))
            continue
        for origin in origins(project, current):
            found.setdefault((id(origin.expr), origin.path), origin)
    return tuple(found.values())


def _latest_sources(project: Project, ref: Ref) -> list[Ref] | None:
    """What the assignments give a variable that may hold where it is read; None if all of them count."""
    if not isinstance(ref.expr, Name):
        return None
    facts = project.facts(ref.key)
    assert facts is not None
    name = ref.expr.id
    found = lookup(facts, ref.scope, name)
    if found is None:
        return None
    result: list[Ref] = []
    blocks = project.blocks(ref.key)
    for binding in held_bindings(facts, blocks, found, name, ref.scope, ref.statement) or ():
        sources = binding_sources(project, facts, found.scope, name, binding, ref.path)
        if sources is None:
            return None
        result.extend(sources)
    return result or None
