"""Initializers that scripts register in the collection ``TABLE_INITIALIZERS`` by themselves."""

from __future__ import annotations

from npu_migrate.index.facts import Constant, argument
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.resolution import external_names


def registrations(project: Project) -> tuple[Ref, ...]:
    """The calls of ``add_to_collection(TABLE_INITIALIZERS, …)`` in the project."""
    found = []
    for name in ("add_to_collection", "add_to_collections"):
        for key, site in project.calls_named(name):
            first = argument(site.call, "name", 0)
            if first is None:
                continue
            if isinstance(first, Constant):
                matches = first.value == tf.TABLES_COLLECTION_KEY
            else:
                matches = tf.TABLES_COLLECTION in external_names(project, key, site.scope, first)
            if matches:
                found.append(ref_of_call(key, site))
    return tuple(found)
