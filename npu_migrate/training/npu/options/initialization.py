"""Sessions that start the NPU before the training does, and what the training's session asks for.

``init_resource()`` and a session that runs ``initialize_system()`` start the NPU. Some options count there.
Source: API:npu_ops/initialize_system.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from npu_migrate.index.facts import Attribute, Call, argument
from npu_migrate.knowledge.npu_calls import INIT_OPTIONS, INIT_RESOURCE, INITIALIZE_SYSTEM
from npu_migrate.knowledge.option_partners import is_said
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import origins
from npu_migrate.semantics.objects import Identity
from npu_migrate.semantics.uses import uses
from npu_migrate.training.npu.config_reach import config_objects
from npu_migrate.training.npu.configs import calls_of, entries
from npu_migrate.training.npu.options.configurations import (
    SESSION,
    Configuration,
    Option,
    is_closed,
    options,
    value_of,
)

_CONFIG_POSITION = 2


class Start(NamedTuple):
    """What starts the NPU: the call, and the config it is given; None if there is none."""

    call: Ref
    config: Ref | None


def starts(project: Project, program: str) -> tuple[Start, ...] | None:
    """What starts the NPU in a program; None if one of them cannot be followed to its session."""
    files = project.programs.by_entry[program].files
    found = [Start(call, _given(call, 0)) for call in calls_of(project, INIT_RESOURCE) if call.key in files]
    for call in calls_of(project, INITIALIZE_SYSTEM):
        if call.key in files:
            sessions = list(_sessions(project, call))
            if not sessions:
                return None
            found += [Start(call, _given(session, _CONFIG_POSITION)) for session in sessions]
    return tuple(found)


def _given(call: Ref, position: int) -> Ref | None:
    assert isinstance(call.expr, Call)
    expr = argument(call.expr, "config", position)
    return None if expr is None else call._replace(expr=expr)


def _sessions(project: Project, operation: Ref) -> Iterator[Ref]:
    """The calls that make the sessions which run an operation."""
    for use in uses(project, operation):
        call = use.ref.expr
        func = call.func if isinstance(call, Call) and use.kind == "argument" else None
        if isinstance(func, Attribute) and func.attr == "run":
            made = origins(project, use.ref._replace(expr=func.value))
            yield from (one for one in made if isinstance(one.expr, Call))


def left_out(project: Project, configuration: Configuration, program: str) -> tuple[Option, ...]:
    """The options of a session config that the start of the NPU should have been given, and was not."""
    entry = configuration.entry
    found = starts(project, program)
    if entry is None or not found:
        return ()
    told: set[str] = set()
    for start in found:
        configs = frozenset[Identity]() if start.config is None else config_objects(project, start.config)
        if configs & entry.configs:
            return ()
        others = [other for other in entries(project) if other.configs & configs]
        if start.config is not None and not others:
            return ()
        for other in others:
            start_config = Configuration(SESSION, other.added, other)
            if not is_closed(project, start_config, program):
                return ()
            told |= {option.name for option in options(project, start_config)}
    return tuple(
        option
        for option in options(project, configuration)
        if option.name in INIT_OPTIONS
        and option.name not in told
        and value_of(project, configuration, option, program).every(partial(_matters, option.name))
    )


def _matters(name: str, value: object) -> bool:
    return is_said(name, value) and value != INIT_OPTIONS[name]
