"""Sessions that alone run a pipeline, as it is told by who builds it and opens them, not by what they fetch.

How tensors get from a pipeline into a train op is not always seen: out of a registry, through ``__iter__``
or a generator. Where the initializer of an iterator belongs into one session and no other, that session reads
the pipeline.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.index.names import code_scope
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.training.pipelines.iterators import Creation, initializable_creations, one_shot_creations
from npu_migrate.training.reading.other_readers import owners_with_readers


def owns_pipeline(project: Project, opened: Ref) -> bool:
    """Whether the session that the call at `opened` makes is the only one that runs some pipeline."""
    return id(opened.expr) in _owning(project)


@once
def _owning(project: Project) -> frozenset[int]:
    return frozenset(found for one in _creations(project) if (found := _owner(project, one)) is not None)


def _creations(project: Project) -> Iterator[Creation]:
    for key in project.files_mentioning(tf.ONE_SHOT_METHOD):
        yield from one_shot_creations(project, key)
    for key in project.files_mentioning(tf.INITIALIZABLE_METHOD):
        yield from initializable_creations(project, key)


def _owner(project: Project, creation: Creation) -> int | None:
    """The call that makes the session of an iterator; None where there may be another one."""
    ref = creation.ref
    facts = project.facts(ref.key)
    assert facts is not None
    owners = owners_with_readers(project, ref.key, code_scope(facts, ref.scope), ref.statement)
    made = {None if one.session is None else id(one.session.created.expr) for one in owners.found}
    return made.pop() if owners.complete and len(made) == 1 else None
