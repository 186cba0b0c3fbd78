"""What of a program trains and is not on the NPU yet, though it could be."""

from __future__ import annotations

from collections.abc import Collection

from npu_migrate.index.names import code_scope
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import origins
from npu_migrate.semantics.objects import is_obscure
from npu_migrate.training.pipelines.sessions import Session
from npu_migrate.training.porting.configured import has_entry, may_be_configured, may_choose_entry
from npu_migrate.training.porting.features.misplaced import misplaced_entry
from npu_migrate.training.porting.session_openings import SessionOpening, opening_at, session_openings
from npu_migrate.training.porting.staying.other_devices import runs_on_another_device
from npu_migrate.training.porting.staying.sessions import stays
from npu_migrate.training.porting.staying.unread_sessions import is_unread
from npu_migrate.training.porting.to_move import ported_programs
from npu_migrate.training.porting.trains import trains


@once
def training_sessions(project: Project) -> tuple[SessionOpening, ...]:
    """The sessions that train and have no NpuOptimizer entry, in order of file and place."""
    return tuple(one for one in session_openings(project) if _is_to_be_moved(project, one))


def _is_to_be_moved(project: Project, opening: SessionOpening) -> bool:
    if not ported_programs(project, opening.call.key):
        return False
    given = opening.given
    if given is not None and has_entry(project, given) and not misplaced_entry(project, opening.call, given):
        return False
    if given is not None and not has_entry(project, given) and may_choose_entry(project, given):
        return False
    if may_be_configured(project, opening.call) and (
        not opening.in_view or runs_on_another_device(project, opening.call)
    ):
        return False
    if stays(project, opening) or is_unread(project, opening.call):
        return False
    return trains(project, opening)


def stays_on_host(project: Project, call: Ref) -> bool:
    """Whether a call opens a session that is not to be moved: it only reads, or is for the CPU."""
    opening = opening_at(project, call)
    return opening is not None and opening not in training_sessions(project)


def pipeline_stays_on_host(project: Project, sessions: Collection[Session]) -> bool:
    """Whether all `sessions` that run a pipeline, at least one, are not on the NPU and will not be moved."""
    return bool(sessions) and all(
        stays_on_host(project, session.created) and not _may_be_on_npu(project, session.created)
        for session in sessions
    )


def _may_be_on_npu(project: Project, call: Ref) -> bool:
    """Whether the config that a session may get has the NpuOptimizer entry, or may have it."""
    opening = opening_at(project, call)
    if opening is None or opening.given is None:
        return False
    given = opening.given
    return is_obscure(project, given) or any(has_entry(project, one) for one in origins(project, given))


def number_of(project: Project, opening: SessionOpening) -> int:
    """The how manyth of the sessions to be moved in its function this is."""
    facts = project.facts(opening.call.key)
    assert facts is not None
    home = code_scope(facts, opening.call.scope)
    earlier = [
        one
        for one in training_sessions(project)
        if one.call.key == opening.call.key
        and one.call.expr.span < opening.call.expr.span
        and code_scope(facts, one.call.scope) == home
    ]
    return len(earlier)
