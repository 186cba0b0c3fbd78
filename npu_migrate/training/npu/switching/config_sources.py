"""What the config is made of that one of npu_bridge's helpers gets: session configs, or places for one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from npu_migrate.index.facts import Attribute, Call, Constant, argument
from npu_migrate.knowledge import npu
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.passing import passed_objects
from npu_migrate.semantics.contexts import Traced, ends, traced
from npu_migrate.semantics.flow import externals_called
from npu_migrate.training.npu.config_reach import RUN_CONFIGS, put_into

CONFIG_PROTOS = frozenset({"tensorflow.ConfigProto", "tensorflow.core.protobuf.config_pb2.ConfigProto"})
_GIVEN = {npu.CONFIG_PROTO_HELPER: "config_proto", npu.RUN_CONFIG_HELPER: "run_config"}
_SESSION_CONFIG = "session_config"
_SESSION_CONFIG_POSITION = 5
_REPLACE = "replace"

Kind = Literal["proto", "run config", "nothing", "none", "hidden"]


class ConfigSource(NamedTuple):
    """One thing that the config of a helper may be made of.

    `kind`: ``proto`` (`ref` makes a ``ConfigProto``), ``run config`` (`ref` makes a ``RunConfig`` without a
    session config), ``nothing`` (`ref` is the helper's call, which gets no config), ``none`` (`ref` is a
    ``None`` that stands for a session config), ``hidden`` (what it is cannot be seen).
    `run_config` is the call of the ``RunConfig`` on the way, if there is one.
    """

    kind: Kind
    ref: Ref
    run_config: Ref | None = None


def helper_name(project: Project, ref: Ref) -> str | None:
    """Which of the two helpers the call at `ref` calls; None if it calls neither."""
    called = externals_called(project, ref)
    return next((name for name in _GIVEN if name in called), None)


def config_sources(project: Project, helper: Ref) -> tuple[ConfigSource, ...]:
    """What the config is made of that the helper's call at `helper` returns, each once."""
    found = {(one.kind, id(one.ref.expr)): one for one in _of_helper(project, traced(helper), 0)}
    return tuple(found.values())


_DEEPEST = 6


def _of_helper(project: Project, helper: Traced, depth: int) -> Iterator[ConfigSource]:
    name = helper_name(project, helper.ref)
    assert name is not None and isinstance(helper.ref.expr, Call)
    passed = passed_objects(project, helper.ref, _GIVEN[name], 0)
    if not passed.certain or depth > _DEEPEST:
        yield ConfigSource("hidden", helper.ref)
        return
    if not passed.values or all(_is_none(value) for value in passed.values):
        yield ConfigSource("nothing", helper.ref)
        return
    for value in passed.values:
        way = helper.at(value.expr) if passed.direct else traced(value)
        if name == npu.CONFIG_PROTO_HELPER:
            yield from _protos(project, way, None, depth + 1)
        else:
            yield from _run_configs(project, way, depth + 1)


def _is_none(ref: Ref) -> bool:
    return isinstance(ref.expr, Constant) and ref.expr.value is None


def _protos(project: Project, value: Traced, run_config: Ref | None, depth: int) -> Iterator[ConfigSource]:
    for end in ends(project, value):
        if not end.keys and externals_called(project, end.ref) & CONFIG_PROTOS:
            yield ConfigSource("proto", end.ref, run_config)
        elif not end.keys and helper_name(project, end.ref) is not None and depth <= _DEEPEST:
            yield from _of_helper(project, end, depth + 1)
        elif _is_none(end.ref) and end.ref.expr is value.ref.expr:
            yield ConfigSource("none", end.ref, run_config)
        else:
            yield ConfigSource("hidden", end.ref, run_config)


def _run_configs(project: Project, value: Traced, depth: int) -> Iterator[ConfigSource]:
    for end in ends(project, value):
        call = end.ref.expr
        if end.keys or not isinstance(call, Call) or depth > _DEEPEST:
            yield ConfigSource("hidden", end.ref)
        elif helper_name(project, end.ref) is not None:
            yield from _of_helper(project, end, depth + 1)
        elif externals_called(project, end.ref) & RUN_CONFIGS:
            yield from _in_run_config(project, end, call, depth)
        elif isinstance(call.func, Attribute) and call.func.attr == _REPLACE:
            yield from _in_copy(project, end, call.func, depth)
        else:
            yield ConfigSource("hidden", end.ref)


def _in_run_config(project: Project, made: Traced, call: Call, depth: int) -> Iterator[ConfigSource]:
    put = put_into(project, made.ref)
    if put:
        for stored in put:
            yield from _protos(project, traced(stored), made.ref, depth)
        return
    is_plain = "tensorflow.estimator.RunConfig" in externals_called(project, made.ref)
    position = _SESSION_CONFIG_POSITION if is_plain else None
    passed = passed_objects(project, made.ref, _SESSION_CONFIG, position)
    if not passed.certain or (not is_plain and call.args):
        yield ConfigSource("hidden", made.ref)
    elif not passed.values:
        yield ConfigSource("run config", made.ref, made.ref)
    for value in passed.values if passed.certain else ():
        way = made.at(value.expr) if passed.direct else traced(value)
        yield from _protos(project, way, made.ref, depth)


def _in_copy(project: Project, made: Traced, func: Attribute, depth: int) -> Iterator[ConfigSource]:
    """``run_config.replace(…)``: the session config that it gets, or that of the original."""
    passed = passed_objects(project, made.ref, _SESSION_CONFIG)
    if not passed.certain:
        yield ConfigSource("hidden", made.ref)
    elif not passed.values:
        yield from _run_configs(project, made.at(func.value), depth + 1)
    for value in passed.values if passed.certain else ():
        way = made.at(value.expr) if passed.direct else traced(value)
        yield from _protos(project, way, made.ref, depth)


def reaches_without_helper(project: Project, config: Ref, made: Ref) -> bool:
    """Whether what is `made` comes to `config` (the config of a session or Estimator) past the helpers."""
    stack, seen = [traced(config)], set[object]()
    while stack:
        for end in ends(project, stack.pop()):
            call = end.ref.expr
            if end.mark in seen or not isinstance(call, Call):
                continue
            seen.add(end.mark)
            if call is made.expr:
                return True
            if helper_name(project, end.ref) is not None:
                continue
            given = argument(call, _SESSION_CONFIG, _SESSION_CONFIG_POSITION)
            if given is not None:
                stack.append(end.at(given))
            if isinstance(call.func, Attribute) and call.func.attr == _REPLACE:
                stack.append(end.at(call.func.value))
    return False
