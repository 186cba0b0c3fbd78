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
from npu_migrate.training.porting.configured import has_entry, may_be_configured
from npu_migrate.training.porting.features.misplaced import misplaced_entry
from npu_migrate.training.porting.runners import Runner, runners
from npu_migrate.training.porting.staying import stays
from npu_migrate.training.porting.to_move import ported_programs
from npu_migrate.training.porting.trains import trains


@once
def training_sessions(project: Project) -> tuple[Runner, ...]:
    """The sessions that train and have no NpuOptimizer entry, in order of file and place."""
    return tuple(one for one in runners(project) if _is_to_be_moved(project, one))


def _is_to_be_moved(project: Project, runner: Runner) -> bool:
    if not ported_programs(project, runner.call.key):
        return False
    given = runner.given
    if given is not None and has_entry(project, given) and not misplaced_entry(project, runner.call, given):
        return False
    if not runner.in_view and may_be_configured(project, runner.call):
        return False
    return not stays(project, runner) and trains(project, runner)


def stays_on_host(project: Project, call: Ref) -> bool:
    """Whether a call opens a session that is not to be moved: it only reads, or is for the CPU."""
    return any(one.call.expr is call.expr for one in runners(project)) and not any(
        one.call.expr is call.expr for one in training_sessions(project)
    )


def pipeline_stays_on_host(project: Project, sessions: Collection[Session]) -> bool:
    """Whether all `sessions` that run a pipeline, at least one, are not on the NPU and will not be moved."""
    return bool(sessions) and all(
        stays_on_host(project, session.created) and not _may_be_on_npu(project, session.created)
        for session in sessions
    )


def _may_be_on_npu(project: Project, call: Ref) -> bool:
    """Whether a config that a session may get has the NpuOptimizer entry, or may have it."""
    given = (one.given for one in runners(project) if one.call.expr is call.expr)
    return any(
        is_obscure(project, one) or any(has_entry(project, origin) for origin in origins(project, one))
        for one in given
        if one is not None
    )


def number_of(project: Project, runner: Runner) -> int:
    """The how manyth of the sessions to be moved in its function this is."""
    facts = project.facts(runner.call.key)
    assert facts is not None
    home = code_scope(facts, runner.call.scope)
    earlier = [
        one
        for one in training_sessions(project)
        if one.call.key == runner.call.key
        and one.call.expr.span < runner.call.expr.span
        and code_scope(facts, one.call.scope) == home
    ]
    return len(earlier)
