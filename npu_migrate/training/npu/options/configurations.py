"""The configurations of a program, and the options that each of them sets.

A configuration is the NpuOptimizer entry of a session config, an ``NPURunConfig``, or one of the objects that
such a call gets. Sources: CODE:npu_config.py, CODE:npu_attrs.cc.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import Call, argument
from npu_migrate.knowledge.run_config import COMPANIONS, PARAMETERS, RUN_CONFIG_CLASS
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.signatures import given, has_star
from npu_migrate.semantics.values.evidence import evidence
from npu_migrate.semantics.values.value import UNKNOWN, Value
from npu_migrate.training.npu.config_reach import config_objects
from npu_migrate.training.npu.configs import (
    Entry,
    ParameterWrite,
    calls_of,
    entries,
    is_out_of_sight,
    parameter_writes,
    run_configs,
    stray_writes,
)

SESSION = "session config"


class Configuration(NamedTuple):
    """A configuration: `kind` is `SESSION` or the name of the class, `made` the call that makes it."""

    kind: str
    made: Ref
    entry: Entry | None = None

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters of the class; empty for a session config."""
        return PARAMETERS if self.kind == RUN_CONFIG_CLASS else COMPANIONS.get(self.kind, ())


class Option(NamedTuple):
    """One option that a configuration sets.

    `value` is the expression that gives it, None where that cannot be told; `at` is what sets it: the write
    or the call. `write` is the write into a parameter map, None for an argument.
    """

    name: str
    value: Ref | None
    at: Ref
    write: ParameterWrite | None = None

    @property
    def shown(self) -> Ref:
        """The expression that a finding about the value stands at."""
        return self.value or self.at


@once
def configurations(project: Project) -> tuple[Configuration, ...]:
    """All configurations, in order of file and place."""
    found = [Configuration(SESSION, entry.added, entry) for entry in entries(project)]
    for name in (RUN_CONFIG_CLASS, *COMPANIONS):
        found += [Configuration(name, call) for call in calls_of(project, f"npu_bridge.{name}")]
    return tuple(sorted(found, key=lambda one: (one.made.key, one.made.expr.span)))


def options(project: Project, configuration: Configuration) -> tuple[Option, ...]:
    """What a configuration sets, as far as the names can be told."""
    if configuration.entry is None:
        return tuple(_arguments(project, configuration))
    return tuple(
        Option(write.key, write.value, write.at, write)
        for write in parameter_writes(project, configuration.entry)
        if write.key is not None
    )


def _arguments(project: Project, configuration: Configuration) -> Iterator[Option]:
    call = configuration.made
    for name in configuration.parameters:
        passed = given(project, call, configuration.parameters, name)
        if passed is not None:
            yield Option(name, None if passed.place is call else passed.place, call)


def value_of(project: Project, configuration: Configuration, option: Option, program: str | None) -> Value:
    """The values that an option may have; texts are decoded, and flags of protobuf are True or False."""
    write = option.write
    if write is None:
        passed = given(project, configuration.made, configuration.parameters, option.name, program)
        return UNKNOWN if passed is None else passed.value
    if write.value is None or write.field not in ("b", "i", "s"):
        return UNKNOWN
    value = evidence(project, write.value, program)
    return Value(
        tuple(known._replace(constant=_read(known.constant, write.field)) for known in value.alternatives)
    )


def _read(value: object, field: str) -> object:
    """What protobuf makes of a value in a field, where it takes it."""
    if field == "s":
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    if type(value) in (bool, int):
        return bool(value) if field == "b" else int(value)  # type: ignore[call-overload]
    return value


def is_closed(project: Project, configuration: Configuration, program: str) -> bool:
    """Whether nothing sets an option of a configuration that is not among its `options`."""
    entry = configuration.entry
    if entry is None:
        return not has_star(configuration.made)
    return (
        all(write.key is not None for write in parameter_writes(project, entry))
        and not stray_writes(project, program)
        and not is_out_of_sight(project, entry)
        and not any(entry.configs & config_objects(project, config) for config in _handed_on(project))
    )


@once
def _handed_on(project: Project) -> tuple[Ref, ...]:
    """The session configs that an ``NPURunConfig`` gets, whose own options join them."""
    found = []
    for call in run_configs(project):
        assert isinstance(call.expr, Call)
        config = argument(call.expr, "session_config", PARAMETERS.index("session_config"))
        if config is not None:
            found.append(call._replace(expr=config))
    return tuple(found)
