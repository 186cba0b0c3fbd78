"""How a text gets into a field of protobuf that takes bytes."""

from __future__ import annotations

from typing import cast

from npu_migrate.index.facts import FileFacts
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.training.pipelines.placement.spelling import tensorflow_spelling


def as_bytes(project: Project, place: Ref, code: str) -> str | None:
    """``tf.compat.as_bytes(code)`` as it is spelt at a place; None where TensorFlow has no name there."""
    facts = cast(FileFacts, project.facts(place.key))
    spelling = tensorflow_spelling(project, facts, place.scope)
    return None if spelling is None else f"{spelling}.compat.as_bytes({code})"
