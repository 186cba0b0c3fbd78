"""What sets N for a training: an ``NPURunConfig``, or the NpuOptimizer entry of a session config.

N is the value of ``iterations_per_loop``. Sources: SEED-ITER, CODE:npu_config.py, CODE:npu_attrs.cc.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import Call, argument, last_name
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.knowledge.run_config import POSITIONS
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.calls.passing import passed_objects
from npu_migrate.semantics.flow import externals_called, named_definitions
from npu_migrate.semantics.objects import Identity
from npu_migrate.semantics.resolution import external_names
from npu_migrate.semantics.values.evidence import evidence
from npu_migrate.semantics.values.value import UNKNOWN, Value, join
from npu_migrate.training.npu.config_reach import Reader, config_objects, readers_of
from npu_migrate.training.npu.configs import (
    Entry,
    ParameterWrite,
    Setting,
    entries,
    entry_iterations,
    is_offloading,
    parameter_writes,
    run_config_iterations,
    run_config_setting,
    run_configs,
)
from npu_migrate.training.npu.hooks import hooks_in
from npu_migrate.training.npu.trainings import (
    Training,
    configs_of,
    model_functions,
    training_argument,
    trainings,
)

_TF_RUN_CONFIG = "RunConfig"
_SPEC = "EstimatorSpec"
_SPEC_HOOKS = ("training_hooks", "training_chief_hooks")
_SESSION_HOOKS = ("hooks", "chief_only_hooks")


class Offload(NamedTuple):
    """A config that may set N.

    `ref` is the ``NPURunConfig`` call or the ``add()`` of the entry, `entry` the entry (None for the
    former), `objects` the config objects that carry it.
    """

    ref: Ref
    entry: Entry | None
    objects: frozenset[Identity]


@once
def offloads(project: Project) -> tuple[Offload, ...]:
    """All configs that may set N. A session config that an ``NPURunConfig`` gets is not one: N is the
    latter's."""
    return tuple(_find(project))


def _find(project: Project) -> Iterator[Offload]:
    inside: set[Identity] = set()
    for call in run_configs(project):
        assert isinstance(call.expr, Call)
        yield Offload(call, None, frozenset({(id(call.expr), ())}))
        given = argument(call.expr, "session_config", POSITIONS["session_config"])
        if given is not None:
            inside |= config_objects(project, call._replace(expr=given))
    for entry in entries(project):
        if not entry.configs & inside:
            yield Offload(entry.added, entry, entry.configs)


def iterations(project: Project, offload: Offload, program: str | None = None) -> Setting:
    """N of a config: 1 unless it sets one."""
    if offload.entry is None:
        return run_config_iterations(project, offload.ref, program)
    return entry_iterations(project, offload.entry, program)


def offloading(project: Project, offload: Offload, program: str) -> Value:
    """N of a config in a program, if it is above 1 for certain; else unknown."""
    if offload.ref.key not in project.programs.by_entry[program].files:
        return UNKNOWN
    value = iterations(project, offload, program).value
    return value if value.every(is_offloading) else UNKNOWN


def writes_of(project: Project, entry: Entry, key: str) -> tuple[ParameterWrite, ...]:
    """The writes into an entry's parameter map that set `key`, or may."""
    return tuple(write for write in parameter_writes(project, entry) if write.key in (None, key))


def switch(project: Project, offload: Offload, name: str, program: str) -> Value:
    """The value of a boolean option of a config; unknown where it is not set or cannot be told."""
    if offload.entry is None:
        setting = run_config_setting(project, offload.ref, name, program)
        return UNKNOWN if setting is None else setting.value
    writes = writes_of(project, offload.entry, name)
    return join(
        evidence(project, write.given, program)
        if write.key is not None and write.field == "b" and write.given is not None
        else UNKNOWN
        for write in writes
    )


def readers_in(project: Project, offload: Offload, program: str) -> tuple[Reader, ...]:
    """The sessions and Estimators of a program that get a session config."""
    files = project.programs.by_entry[program].files
    return tuple(reader for reader in readers_of(project, offload.objects) if reader.ref.key in files)


def run_config_calls(project: Project, offload: Offload) -> tuple[Ref, ...]:
    """The calls that take the RunConfig arguments: the ``NPURunConfig``, or TensorFlow's ``RunConfig`` that
    gets the session config."""
    if offload.entry is None:
        return (offload.ref,)
    found = []
    for reader in readers_of(project, offload.objects):
        call = reader.ref.expr
        assert isinstance(call, Call)
        names = external_names(project, reader.ref.key, reader.ref.scope, call.func)
        if reader.kind == "estimator" and any(name.endswith(f".{_TF_RUN_CONFIG}") for name in names):
            found.append(reader.ref)
    return tuple(found)


def option(
    project: Project, offload: Offload, call: Ref, name: str, program: str | None = None
) -> Setting | None:
    """What the RunConfig call `call` of a config passes as `name`; None if it passes nothing."""
    if offload.entry is None:
        return run_config_setting(project, call, name, program)
    assert isinstance(call.expr, Call)
    given = argument(call.expr, name)
    if given is None:
        return None
    ref = call._replace(expr=given)
    return Setting(evidence(project, ref, program), ref)


# -- what runs under a config --------------------------------------------------------------------------


def trainings_under(project: Project, offload: Offload) -> tuple[Training, ...]:
    """The training calls of Estimators that were made with the config."""
    return tuple(training for training, configs in _trainings(project) if configs & offload.objects)


@once
def _trainings(project: Project) -> tuple[tuple[Training, frozenset[Identity]], ...]:
    """All training calls of Estimators, with the config objects that these may have."""
    return tuple((training, _config_objects(project, training)) for training in trainings(project))


def _config_objects(project: Project, training: Training) -> frozenset[Identity]:
    configs = [config for made in training.estimators for config in configs_of(project, made)]
    return frozenset[Identity]().union(*(config_objects(project, config) for config in configs))


def training_hooks(project: Project, offload: Offload) -> tuple[Ref, ...]:
    """The calls that make the hooks of all training under the config: those given to the training calls, to
    the ``EstimatorSpec`` of the model function, and to monitored sessions."""
    given: list[Ref] = []
    for training in trainings_under(project, offload):
        given += training_argument(project, training, "hooks").values
        for estimator in training.estimators:
            for function in model_functions(project, estimator):
                given += _hooks_of_spec(project, function)
    for reader in readers_of(project, offload.objects):
        if externals_called(project, reader.ref) & tf.MONITORED_SESSIONS:
            given += _passed(project, reader.ref, _SESSION_HOOKS)
    hooks = (hook for value in given for hook in hooks_in(project, (value,)).hooks)
    return tuple({id(hook.expr): hook for hook in hooks}.values())


def _hooks_of_spec(project: Project, function: Ref) -> list[Ref]:
    """The hooks in the ``EstimatorSpec`` calls of a model function."""
    found: list[Ref] = []
    for definition in named_definitions(project, function):
        facts = project.facts(definition.key)
        assert facts is not None
        for site in facts.calls:
            if site.scope == definition.scope and (last_name(site.call.func) or "").endswith(_SPEC):
                call = ref_of_call(definition.key, site)
                found += _passed(project, call, _SPEC_HOOKS)
    return found


def _passed(project: Project, call: Ref, names: tuple[str, ...]) -> list[Ref]:
    return [value for name in names for value in passed_objects(project, call, name).values]
