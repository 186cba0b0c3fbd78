"""What puts a session that trains on the NPU."""

from __future__ import annotations

from npu_migrate.index.facts import Call
from npu_migrate.knowledge import session_configs
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.training.porting.config_edits import Wanted, plan_entry
from npu_migrate.training.porting.edit import Edit, refused
from npu_migrate.training.porting.entry_code import Key
from npu_migrate.training.porting.features.derived_sessions import is_for_all, opening_of
from npu_migrate.training.porting.features.misplaced import misplaced_entry
from npu_migrate.training.porting.inference import inference_sessions
from npu_migrate.training.porting.movable import number_of, stays_on_host
from npu_migrate.training.porting.session_openings import SessionOpening, is_local
from npu_migrate.training.porting.trains import reads_data

OWN_CONSTRUCTOR = (
    "its class has a constructor of its own, and which call in it opens the session is not certain"
)
FOR_OTHERS_TOO = "the constructor of its class also opens sessions that are not to be moved"
UNKNOWN_TARGET = "it may be a session of a server: if it is not, give its config the entry by hand"
OUT_OF_A_DICTIONARY = (
    "what it gets by ** cannot be seen, and may be a config, or the server of a session: if it is no server, "
    "give the config in the dictionary the entry by hand"
)


def plan_session(project: Project, opening: SessionOpening, keys: tuple[Key, ...] = ()) -> Edit:
    """The edit that gives a session the entry, with `keys` in it, or the reason why there is none."""
    if is_local(project, opening) is not True:
        return refused(_unknown_target(opening))
    misplaced = opening.given is not None and misplaced_entry(project, opening.call, opening.given)
    if misplaced:
        return refused(misplaced)
    wanted = Wanted(
        opening.call,
        opening.name,
        opening.keyword,
        opening.position,
        opening.given,
        reads_data(project, opening),
        number_of(project, opening),
        _creator if opening.name == session_configs.MONITORED_SESSION else _as_it_is,
        keys=keys,
    )
    return plan_entry(project, wanted, lambda call: _is_for_another(project, call, keys))


def plan_derived(project: Project, made: Ref) -> Edit:
    """The edit that gives the entry to a session of a class that is derived from TensorFlow's."""
    opening = opening_of(project, made)
    if opening is None:
        return refused(OWN_CONSTRUCTOR)
    if is_local(project, opening) is not True:
        return refused(_unknown_target(opening))
    if opening.call.expr is not made.expr and not is_for_all(project, opening):
        return refused(FOR_OTHERS_TOO)
    wanted = Wanted(
        opening.call,
        opening.name,
        opening.keyword,
        opening.position,
        opening.given,
        reads_data(project, opening._replace(call=made)),
        number_of(project, opening),
    )
    return plan_entry(project, wanted, lambda call: stays_on_host(project, call))


def _unknown_target(opening: SessionOpening) -> str:
    """Why it is not known that a session runs in this process."""
    call = opening.call.expr
    unpacked = isinstance(call, Call) and any(keyword.name is None for keyword in call.keywords)
    return OUT_OF_A_DICTIONARY if unpacked else UNKNOWN_TARGET


def _is_for_another(project: Project, call: Ref, keys: tuple[Key, ...]) -> bool:
    """Whether a call that gets the same config is not to have what this session gets."""
    same = inference_sessions(project) if keys else ()
    return stays_on_host(project, call) and all(one.call.expr is not call.expr for one in same)


def _as_it_is(config: str, _: str) -> str:
    return config


def _creator(config: str, tf: str) -> str:
    return f"{tf}.train.ChiefSessionCreator(config={config})"
