"""Datasets that stand on a placeholder: their iterator's initializer needs a feed."""

from __future__ import annotations

from npu_migrate.index.facts import Call, Name
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.aliases import aliases_of
from npu_migrate.semantics.flow import externals_called, origins

_MOST_STEPS = 400


def stands_on_placeholder(project: Project, ref: Ref) -> bool:
    """Whether what the call at `ref` makes is built on a ``tf.placeholder``, through datasets and names."""
    return stands_on(project, ref, tf.PLACEHOLDERS)


def stands_on(project: Project, ref: Ref, makers: frozenset[str]) -> bool:
    """Whether what the call at `ref` makes is built on the result of one of `makers`, canonical names."""
    if not _may_call(project, ref.key, makers):
        return False
    seen: set[int] = set()
    stack = [ref]
    while stack and len(seen) < _MOST_STEPS:
        current = stack.pop()
        for here in project.parts(current):
            if id(here.expr) in seen or not isinstance(here.expr, (Call, Name)):
                continue
            seen.add(id(here.expr))
            if externals_called(project, here) & makers:
                return True
            stack.extend(one for one in origins(project, here) if id(one.expr) not in seen)
    return False


@once
def _may_call(project: Project, key: str, names: frozenset[str]) -> bool:
    """Whether a file of the programs of `key` mentions one of these functions at all."""
    last = {name.rpartition(".")[2] for name in names}
    near = project.neighbours(key)
    words = sorted(last | aliases_of(project, last))
    return any(not near.isdisjoint(project.files_mentioning(word)) for word in words)
