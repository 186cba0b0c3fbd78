"""Which N reaches a pipeline: that of the sessions that run it, where all of them are seen."""

from __future__ import annotations

from typing import NamedTuple

from npu_migrate.index.facts import Call, argument
from npu_migrate.project.project import Project
from npu_migrate.semantics.objects import is_obscure
from npu_migrate.training.npu.config_reach import config_objects
from npu_migrate.training.npu.configs import LargestN, largest_n
from npu_migrate.training.npu.offload import offloads
from npu_migrate.training.pipelines.owners import Owners
from npu_migrate.training.pipelines.sessions import Session
from npu_migrate.training.reading.variable_changes import may_change_variables

_CONFIG_POSITION = 2


class PipelineN(NamedTuple):
    """What is known of the sessions that run a pipeline.

    `largest` is the largest N above 1 that may reach one of them, None if there is none; `idle` tells that
    each of them is seen and none of them trains.
    """

    largest: LargestN | None
    idle: bool


def pipeline_n(project: Project, key: str, owners: Owners) -> PipelineN:
    """N for a pipeline of a file, of which `owners` says who runs it."""
    largest = largest_n(project, key)
    sessions = plain_sessions(owners)
    if not sessions or any(may_change_variables(project, session) for session in sessions):
        return PipelineN(largest, False)
    reached = largest is not None and any(_may_offload(project, session) for session in sessions)
    return PipelineN(largest if reached else None, not reached)


def plain_sessions(owners: Owners) -> tuple[Session, ...]:
    """The sessions that run the pipeline, if all of them are seen and open no training loop by themselves."""
    sessions = tuple(owner.session for owner in owners.found if owner.session is not None)
    plain = all(session.kind in ("raw", "evaluate") for session in sessions)
    return sessions if owners.complete and plain and len(sessions) == len(owners.found) else ()


def _may_offload(project: Project, session: Session) -> bool:
    """Whether a config that sets N may reach a session."""
    call = session.created.expr
    assert isinstance(call, Call)
    if session.kind == "evaluate":
        return False
    given = argument(call, "config", _CONFIG_POSITION)
    if given is None:
        return any(keyword.name is None for keyword in call.keywords)
    config = session.created._replace(expr=given)
    objects = config_objects(project, config)
    return is_obscure(project, config) or any(objects & one.objects for one in offloads(project))
