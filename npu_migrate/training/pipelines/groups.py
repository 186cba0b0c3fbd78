"""What lists and groups of ops hold."""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.index.facts import Call, Collection
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import externals_called, origins


def ungrouped(project: Project, ref: Ref) -> Iterator[Ref]:
    """The origins of the op at `ref`, where lists and ``tf.group`` stand for what is in them.

    Each counts once: a list may hold itself.
    """
    seen: set[tuple[int, tuple[int, ...]]] = set()
    stack = [ref]
    while stack:
        for origin in origins(project, stack.pop()):
            mark = (id(origin.expr), origin.path)
            if mark in seen:
                continue
            seen.add(mark)
            expr = origin.expr
            if isinstance(expr, Collection):
                stack.extend(origin._replace(expr=item, path=()) for item in expr.items)
            elif isinstance(expr, Call) and externals_called(project, origin) & tf.GROUPS:
                stack.extend(origin._replace(expr=item, path=()) for item in expr.args)
            else:
                yield origin
