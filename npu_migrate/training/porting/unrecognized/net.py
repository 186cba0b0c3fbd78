"""Programs that train, and of which nothing is moved, has been moved or is reported: what they train by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from npu_migrate.index.facts import (
    Attribute,
    Call,
    Constant,
    FileFacts,
    Name,
    last_name,
)
from npu_migrate.knowledge import npu
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.flow import call_targets, externals_called, origins
from npu_migrate.semantics.resolution import external_names
from npu_migrate.training.npu.readings import trained_estimators
from npu_migrate.training.pipelines.reachability import is_reached
from npu_migrate.training.pipelines.sessions import Session
from npu_migrate.training.porting.configured import files_with_entries
from npu_migrate.training.porting.estimators import estimators_to_move, holders
from npu_migrate.training.porting.features.derived_sessions import derived_training_sessions
from npu_migrate.training.porting.features.distributed.distribution import parameter_servers
from npu_migrate.training.porting.keras import keras_trainings, trained_without_session
from npu_migrate.training.porting.movable import training_sessions
from npu_migrate.training.porting.session_openings import SessionOpening, opening_at, session_openings
from npu_migrate.training.porting.staying.cpu_configs import asks_for_cpu
from npu_migrate.training.porting.to_move import ported_programs
from npu_migrate.training.porting.trains import (
    INITIALIZERS,
    fetched_by,
    is_of_keras,
    is_only_looked_at,
    is_seen_not_to_train,
    surely_trains,
)
from npu_migrate.training.porting.unrecognized.hook_runs import is_of_hook, may_train_in, runs_asked_for
from npu_migrate.training.porting.unrecognized.loaded_modules import loaded_trainings, loads_modules
from npu_migrate.training.porting.unrecognized.other_callers import chooses_the_cpu, trains_for_others
from npu_migrate.training.porting.unrecognized.training_calls import (
    Kind,
    TrainingCall,
    files_with_specs,
    gradient_steps,
    in_reading_order,
    training_calls,
)
from npu_migrate.training.porting.ways import may_run
from npu_migrate.training.reading.session_fetches import all_fetchings, named

_RESTORING = ("restore", "latest_checkpoint", "load")
_RUNS = ("run", "eval", "make_callable", "partial_run_setup")
_OPENING_METHODS = frozenset({"managed_session", "prepare_or_wait_for_session", "prepare_session"})
_OTHER_SESSIONS = ("requests.", "sqlalchemy.", "boto3.", "onnxruntime.", "aiohttp.")
_LOOKING_UP = frozenset({"getattr", "vars", "import_module", "__import__", "attrgetter"})
_TENSORFLOW = "tensorflow"
_FIELD_MAKERS = ("dataclasses.", "attr.", "attrs.")
_BY_NAME = frozenset({"locals", "globals", "vars", "getattr", "eval"})
"""Functions whose result may be anything: what is fetched from it, nobody sees."""


class Unrecognized(NamedTuple):
    """Where programs train without anything that was recognised, and which programs these are."""

    ref: Ref
    kind: Kind
    programs: tuple[str, ...]
    opens_session: bool = False
    package: str = ""


@once
def unrecognized_trainings(project: Project) -> tuple[Unrecognized, ...]:
    """A place for each program that trains and has nothing that is moved or reported; only with ``port``."""
    found: dict[int, Unrecognized] = {}
    for program in project.programs.by_entry if project.options.port else ():
        one = _training_of(project, program)
        if one is not None:
            new = Unrecognized(one.ref, one.kind, (), one.opens_session, one.package)
            known = found.get(id(one.ref.expr), new)
            found[id(one.ref.expr)] = known._replace(programs=(*known.programs, program))
    return tuple(sorted(found.values(), key=lambda one: (one.ref.key, one.ref.expr.span)))


def trains_unrecognized(project: Project, key: str) -> bool:
    """Whether a program of a file trains, and nothing of it that does was recognised."""
    programs = set(project.programs_of(key))
    return any(not programs.isdisjoint(one.programs) for one in unrecognized_trainings(project))


def are_seen_not_to_train(project: Project, sessions: Iterable[Session]) -> bool:
    """Whether all that `sessions` run is seen, and nothing of it trains."""
    openings = [opening_at(project, session.created) for session in sessions]
    return all(
        one is not None and not surely_trains(project, one) and not _runs_the_unseen(project, one)
        for one in openings
    )


def _training_of(project: Project, program: str) -> TrainingCall | None:
    """The first place where a program trains that nobody has recognised."""
    files = project.programs.by_entry[program].files
    if program not in ported_programs(project, program) or _is_settled(project, program):
        return None
    near = [one for one in training_calls(project) if one.ref.key in files]
    reached = [one for one in near if may_run(project, one.ref, program)]
    if not files.isdisjoint(files_with_specs(project)):
        reached = [one for one in reached if one.kind != "session" or one.opens_session]
    else:

        def counts(ref: Ref) -> bool:
            return ref.key in files and may_run(project, ref, program)

        reached = in_reading_order((*reached, *gradient_steps(project, counts)))
    if not reached and not _others_load_what_trains(project, program):
        reached = loaded_trainings(project, program)
    for kind in ("keras", "estimator"):
        for one in reached:
            if one.kind == kind:
                return one
    opening = next((one for one in reached if one.opens_session), None)
    if opening is not None:
        return opening
    if _only_restores(project, program):
        reached = [one for one in reached if one.restored]
    if not reached:
        return None
    in_view = all(one.plain for one in reached)
    return reached[0] if _may_be_run(project, program, in_view=in_view) else None


def _others_load_what_trains(project: Project, program: str) -> bool:
    """Whether another program also loads modules by texts, and it is known what trains there."""
    return any(
        one != program and loads_modules(project, one) and _is_settled(project, one)
        for one in project.programs.by_entry
    )


@once
def _is_settled(project: Project, program: str) -> bool:
    """Whether something of a program is moved, has been moved or stays: then it is known what trains."""
    files = project.programs.by_entry[program].files
    if not files.isdisjoint(files_with_entries(project)):
        return True
    if any(key in files and not call_targets(project, ref) for key, ref in _npu_estimators(project)):
        return True
    known = (
        *(one.call for one in training_sessions(project)),
        *derived_training_sessions(project),
        *estimators_to_move(project),
        *(made for made in trained_estimators(project) if not _has_the_choice(project, made)),
        *trained_without_session(project),
    )
    if any(may_run(project, ref, program) for ref in known):
        return True
    if any(one.ref.key in files for one in parameter_servers(project)):
        return True  # NPU718 speaks of them, whether the program gets there or not
    opened = [one for one in session_openings(project) if may_run(project, one.call, program)]
    if any(is_reached(project, one.call, program) for one in keras_trainings(project)) and not any(
        is_of_keras(project, one) and chooses_the_cpu(project, one.given) for one in opened
    ):
        return True
    return any(_stays_on_purpose(project, one) for one in opened)


def _has_the_choice(project: Project, made: Ref) -> bool:
    """Whether the session config of an Estimator is one for the CPU, or another one."""
    return any(chooses_the_cpu(project, one.given) for one in holders(project, made))


@once
def _npu_estimators(project: Project) -> tuple[tuple[str, Ref], ...]:
    """The calls of the vendor's Estimator by its name, also through a module that is not there to be read."""
    return tuple(
        (key, ref_of_call(key, site))
        for key, site in project.calls_named(npu.NPU_ESTIMATOR.rpartition(".")[2])
    )


def _stays_on_purpose(project: Project, opening: SessionOpening) -> bool:
    """Whether a session is for the CPU, and may be the one that trains."""
    if opening.given is None or not asks_for_cpu(project, opening.given):
        return False
    return not is_seen_not_to_train(project, opening) and not trains_for_others(project, opening)


def _may_be_run(project: Project, program: str, *, in_view: bool) -> bool:
    """Whether a session of a program may run a train op: one that nobody saw opened, or what nobody sees.

    `in_view`: all train ops are made by calls that are followed, so a session that is seen not to run them
    does not.
    """
    files = project.programs.by_entry[program].files
    opened = {id(one.call.expr) for one in session_openings(project)}
    known = {id(one.call.expr) for one in all_fetchings(project) if id(one.session.ref.expr) in opened}
    unknown = (ref for ref in _runs(project) if ref.key in files and id(ref.expr) not in known)
    has_sessions = not files.isdisjoint(_files_with_sessions(project))
    if has_sessions and any(
        may_run(project, ref, program) and (not is_of_hook(project, ref) or may_train_in(project, ref))
        for ref in unknown
    ):
        return True
    if any(
        ref.key in files and may_run(project, ref, program) and may_train_in(project, ref)
        for ref in runs_asked_for(project)
    ):
        return True
    near = [
        one
        for one in session_openings(project)
        if one.call.key in files and may_run(project, one.call, program)
    ]
    return any(
        not in_view or _runs_the_unseen(project, one) or _trains_beside_the_cpu(project, one) for one in near
    )


def _trains_beside_the_cpu(project: Project, opening: SessionOpening) -> bool:
    """Whether a session is left on the CPU for the sake of one caller, and trains for another one."""
    given = opening.given
    return given is not None and asks_for_cpu(project, given) and trains_for_others(project, opening)


@once
def _files_with_sessions(project: Project) -> frozenset[str]:
    """The files that mention something of TensorFlow or another library that opens a session or has one."""
    return frozenset(facts.key for facts in project.relevant() if _mentions_session(project, facts))


def _mentions_session(project: Project, facts: FileFacts) -> bool:
    if not _OPENING_METHODS.isdisjoint(facts.words):
        return True
    for word in facts.words:
        if "session" in word.lower():
            for site in (*project.attributes(facts.key, word), *project.names(facts.key, word)):
                ref = project.ref_of(facts.key, site)
                if external_names(project, facts.key, site.scope, site.expr):
                    return True
                if _is_of_tensorflow(project, ref):
                    return True
    return any(
        _looks_into_tensorflow(project, ref_of_call(facts.key, site), site.call) for site in facts.calls
    )


def _is_of_tensorflow(project: Project, ref: Ref) -> bool:
    """Whether something is an attribute of the module tensorflow itself, which was handed on before."""
    if not isinstance(ref.expr, Attribute):
        return False
    holders = origins(project, ref._replace(expr=ref.expr.value))
    return any(_TENSORFLOW in external_names(project, one.key, one.scope, one.expr) for one in holders)


def _looks_into_tensorflow(project: Project, ref: Ref, call: Call) -> bool:
    """Whether a call reads of the module tensorflow by a name, imports it by one, or reads a session so."""
    name = last_name(call.func)
    if name not in _LOOKING_UP or not call.args:
        return False
    given = call.args[0]
    if isinstance(given, Constant) and isinstance(given.value, str):
        asked = given.value
        return "session" in asked.lower() if name == "attrgetter" else asked == _TENSORFLOW
    return _TENSORFLOW in external_names(project, ref.key, ref.scope, given)


@once
def _runs(project: Project) -> tuple[Ref, ...]:
    """The calls that may run a session, whosever it is."""
    return tuple(_find_runs(project))


def _find_runs(project: Project) -> Iterator[Ref]:
    for name in _RUNS:
        for key, site in project.calls_named(name):
            ref = ref_of_call(key, site)
            if not isinstance(site.call.func, Attribute) or call_targets(project, ref):
                continue
            meant = externals_called(project, ref)
            is_ours = all(_is_session_of(one) for one in meant)
            if is_ours and (site.call.args or site.call.keywords or name == _RUNS[0]):
                yield ref


def _is_session_of(name: str) -> bool:
    """Whether a method of this canonical name may be one of a session, from whichever library it comes."""
    if name.startswith("tensorflow."):
        return ".app." not in name
    if name.startswith(_FIELD_MAKERS):
        return True  # what is in the field, its factory says
    return "session" in name.lower() and not name.startswith(_OTHER_SESSIONS)


def _runs_the_unseen(project: Project, opening: SessionOpening) -> bool:
    """Whether a session runs what is named in a text, or comes from where nobody looks."""
    fetched = fetched_by(project, opening)
    if not fetched.fetchings and is_only_looked_at(project, opening):
        return False
    if any(name for one in fetched.fetchings for name in named(one.fetches.ref.expr)):
        return True
    return not fetched.complete or any(
        isinstance(one.expr, Call)
        and isinstance(one.expr.func, Name)
        and last_name(one.expr.func) in _BY_NAME
        for one in fetched.calls
    )


def _only_restores(project: Project, program: str) -> bool:
    """Whether a program restores what was trained before, and gives no variable a first value."""
    return _does(project, program, _RESTORING) and not _does(project, program, tuple(sorted(INITIALIZERS)))


def _does(project: Project, program: str, names: tuple[str, ...]) -> bool:
    files = project.programs.by_entry[program].files
    return any(
        key in files and may_run(project, ref_of_call(key, site), program)
        for name in names
        for key, site in project.calls_named(name)
    )
