"""Where a program asks for training acceleration, and which configs and Estimators that reaches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import Call, Constant, Name, Operation, argument, last_name
from npu_migrate.knowledge import acceleration as known_of
from npu_migrate.knowledge import npu
from npu_migrate.knowledge.acceleration import Trigger, meant_mode
from npu_migrate.knowledge.run_config import POSITIONS
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.passing import passed_objects
from npu_migrate.semantics.flow import origins
from npu_migrate.semantics.resolution import external_names
from npu_migrate.semantics.values.evaluation import passed_keyword
from npu_migrate.semantics.values.evidence import evidence
from npu_migrate.semantics.values.value import UNKNOWN, Known, Value, constant, join
from npu_migrate.training.npu.config_reach import config_objects
from npu_migrate.training.npu.configs import Entry, calls_of, entries, parameter_writes
from npu_migrate.training.npu.missing_imports import CLASS, unbound_names
from npu_migrate.training.npu.trainings import Training, configs_of, is_npu_estimator

_NOT_SET = constant(None)
_WITHOUT_MODE = ("tensorflow.", npu.RUN_CONFIG, npu.RUN_CONFIG_HELPER, npu.CONFIG_PROTO_HELPER)


class Asked(NamedTuple):
    """One place that sets the mode.

    `owner` is the ``ExperimentalConfig`` call, or for a session config the target of the write, `field` is
    then the protobuf field that it writes. `given` is the value expression; None where the call gets it out
    of a dictionary. `comparison` is the whole argument ``accelerate_train_mode == value``, written by
    mistake instead of ``accelerate_train_mode=value``.
    """

    owner: Ref
    given: Ref | None
    field: str | None = None
    comparison: Ref | None = None


@once
def experimental_configs(project: Project) -> tuple[Ref, ...]:
    """All calls of ``ExperimentalConfig``, those without the import they need included, in order of place."""
    found = [*calls_of(project, known_of.EXPERIMENTAL_CONFIG), *_without_import(project)]
    return tuple(sorted(found, key=lambda ref: (ref.key, ref.expr.span)))


def _without_import(project: Project) -> Iterator[Ref]:
    for name in unbound_names(project):
        func = name if last_name(name.expr) == CLASS else project.parent_ref(name)
        call = project.parent_ref(func) if func is not None else None
        if func is None or call is None or last_name(func.expr) != CLASS:
            continue
        if isinstance(call.expr, Call) and call.expr.func is func.expr:
            yield call


@once
def asked_modes(project: Project) -> tuple[Asked, ...]:
    """Every place that sets the mode: in an ``ExperimentalConfig`` or by the key of a session config."""
    configs = [asked_by(project, call) for call in experimental_configs(project)]
    sessions = [asked for entry in entries(project) for asked in _asked_by_entry(project, entry)]
    return (*(asked for asked in configs if asked is not None), *sessions)


def asked_by(project: Project, call: Ref) -> Asked | None:
    """How an ``ExperimentalConfig`` call sets the mode; None if it does not."""
    assert isinstance(call.expr, Call)
    mode = argument(call.expr, known_of.MODE, known_of.MODE_POSITION)
    if mode is not None:
        return Asked(call, call._replace(expr=mode))
    for value in call.expr.args:
        if isinstance(value, Operation) and value.operator == "Eq":
            left, right = value.operands
            if isinstance(left, Name) and left.id == known_of.MODE:
                given = call._replace(expr=right)
                return Asked(call, given, comparison=call._replace(expr=value))
    passed = passed_keyword(project, call, known_of.MODE)
    return None if passed is None else Asked(call, None)


def _asked_by_entry(project: Project, entry: Entry) -> Iterator[Asked]:
    for write in parameter_writes(project, entry):
        if write.key == known_of.SESSION_KEY:
            yield Asked(write.target, write.value, write.field)


def asked_value(project: Project, asked: Asked, program: str | None = None) -> Value:
    """The values that the mode may have; a text for a session config is decoded."""
    if asked.given is None:
        passed = None if asked.field else passed_keyword(project, asked.owner, known_of.MODE, program)
        return UNKNOWN if passed is None else passed
    value = evidence(project, asked.given, program)
    if any(_spells_nothing(known) for known in value.alternatives):
        return UNKNOWN
    if asked.field is None:
        return value
    return Value(tuple(known._replace(constant=_text(known.constant)) for known in value.alternatives))


def _spells_nothing(known: Known) -> bool:
    """Whether a text was made with the None that a flag is by default: whoever starts the script sets it."""
    return "None" in str(known.constant) and any(
        step.is_default and isinstance(step.ref.expr, Constant) and step.ref.expr.value is None
        for step in known.steps
    )


def _text(value: object) -> object:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


# -- what it reaches -----------------------------------------------------------------------------------


def run_config_mode(project: Project, call: Ref, program: str | None = None) -> Value:
    """The mode of an ``NPURunConfig`` call; None stands for no mode."""
    passed = passed_objects(project, call, known_of.EXPERIMENTAL, POSITIONS[known_of.EXPERIMENTAL])
    if not passed.certain:
        return UNKNOWN
    calls = {id(ref.expr) for ref in experimental_configs(project)}
    modes: list[Value] = []
    for origin in (origin for value in passed.values for origin in origins(project, value)):
        if id(origin.expr) in calls and not origin.path:
            asked = asked_by(project, origin)
            modes.append(_NOT_SET if asked is None else asked_value(project, asked, program))
        else:
            empty = isinstance(origin.expr, Constant) and origin.expr.value is None
            modes.append(_NOT_SET if empty else UNKNOWN)
    if modes:
        return join(modes)
    session = passed_objects(project, call, "session_config", POSITIONS["session_config"])
    return join([_session_mode(project, value, program) for value in session.values] or [_NOT_SET])


def _session_mode(project: Project, config: Ref, program: str | None) -> Value:
    """The mode of a session config, or of a ``RunConfig`` made from one."""
    objects = config_objects(project, config)
    modes = [entry_mode(project, entry, program) for entry in entries(project) if entry.configs & objects]
    return join(modes or [_NOT_SET])


def entry_mode(project: Project, entry: Entry, program: str | None = None) -> Value:
    """The mode of a session config's entry; None stands for no mode."""
    if any(write.key is None for write in parameter_writes(project, entry)):
        return UNKNOWN
    asked = list(_asked_by_entry(project, entry))
    return join([asked_value(project, item, program) for item in asked if item.field == "s"] or [_NOT_SET])


def training_mode(project: Project, training: Training, program: str | None = None) -> Value:
    """The mode with which a training call trains; None stands for no mode."""
    if not training.certain:
        return UNKNOWN
    return join([estimator_mode(project, made, program) for made in training.estimators])


def estimator_mode(project: Project, estimator: Ref, program: str | None = None) -> Value:
    """The mode of the config that an Estimator was made with; None stands for no mode."""
    return join([_config_mode(project, estimator, c, program) for c in configs_of(project, estimator)])


def _config_mode(project: Project, estimator: Ref, config: Ref, program: str | None) -> Value:
    if not isinstance(config.expr, Call):
        return UNKNOWN
    names = external_names(project, config.key, config.scope, config.expr.func)
    if npu.RUN_CONFIG in names:
        # Only NPUEstimator hands the parameters of NPURunConfig on to the session.
        return run_config_mode(project, config, program) if is_npu_estimator(project, estimator) else _NOT_SET
    mode = _session_mode(project, config, program)
    made_in_view = bool(names) and all(name.startswith(_WITHOUT_MODE) for name in names)
    return mode if made_in_view or mode is not _NOT_SET else UNKNOWN


def accelerates(mode: Value) -> bool:
    """Whether a mode is known, is set, and is meant to be one that the runtime accepts."""
    return mode.every(lambda text: isinstance(text, str) and meant_mode(text) is not None)


def trigger_of(mode: Value) -> Trigger | None:
    """The trigger of a mode that accelerates; None if its alternatives differ."""
    texts = [known.constant for known in mode.alternatives if isinstance(known.constant, str)]
    found = {parsed.trigger for text in texts if (parsed := meant_mode(text))}
    return found.pop() if len(found) == 1 else None
