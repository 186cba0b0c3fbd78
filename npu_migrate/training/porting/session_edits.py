"""What puts a session that trains on the NPU."""

from __future__ import annotations

from npu_migrate.knowledge import porting
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.training.porting.config_edits import Wanted, plan_entry
from npu_migrate.training.porting.edit import Edit, refused
from npu_migrate.training.porting.entry_code import Key
from npu_migrate.training.porting.features.misplaced import misplaced_entry
from npu_migrate.training.porting.inference import inference_sessions
from npu_migrate.training.porting.movable import number_of, stays_on_host
from npu_migrate.training.porting.runners import Runner, is_local
from npu_migrate.training.porting.trains import reads_data

UNKNOWN_TARGET = "it may be a session of a server"


def plan_session(project: Project, runner: Runner, keys: tuple[Key, ...] = ()) -> Edit:
    """The edit that gives a session the entry, with `keys` in it, or the reason why there is none."""
    if is_local(project, runner) is not True:
        return refused(UNKNOWN_TARGET)
    misplaced = runner.given is not None and misplaced_entry(project, runner.call, runner.given)
    if misplaced:
        return refused(misplaced)
    wanted = Wanted(
        runner.call,
        runner.name,
        runner.keyword,
        runner.position,
        runner.given,
        reads_data(project, runner),
        number_of(project, runner),
        _creator if runner.name == porting.MONITORED_SESSION else _as_it_is,
        keys=keys,
    )
    return plan_entry(project, wanted, lambda call: _is_for_another(project, call, keys))


def _is_for_another(project: Project, call: Ref, keys: tuple[Key, ...]) -> bool:
    """Whether a call that gets the same config is not to have what this session gets."""
    same = inference_sessions(project) if keys else ()
    return stays_on_host(project, call) and all(one.call.expr is not call.expr for one in same)


def _as_it_is(config: str, _: str) -> str:
    return config


def _creator(config: str, tf: str) -> str:
    return f"{tf}.train.ChiefSessionCreator(config={config})"
