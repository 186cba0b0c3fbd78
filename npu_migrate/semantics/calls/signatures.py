"""Calls against the parameters of what they call: what is given, what is too much, missing, to be added."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from npu_migrate.index.facts import Call, Constant, Keyword, Mapping, Name, argument, is_starred
from npu_migrate.intents import Intent, SetArgument, WrapExpression
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import origins
from npu_migrate.semantics.values.evaluation import passed_keyword
from npu_migrate.semantics.values.evidence import evidence
from npu_migrate.semantics.values.value import Value


class Given(NamedTuple):
    """The value of an argument; `place` is its expression, or the nearest one to it that is known."""

    value: Value
    place: Ref


def given(
    project: Project, call: Ref, parameters: Sequence[str], name: str, program: str | None = None
) -> Given | None:
    """What a call passes for one of the `parameters`, by position, keyword or ``**``; None if nothing."""
    found = passed_value(project, call, name, parameters.index(name), program)
    return None if found is None else Given(found.value, found.given or call)


class PassedValue(NamedTuple):
    """The value of an argument, and the expression that gives it; None if nobody knows it."""

    value: Value
    given: Ref | None


def passed_value(
    project: Project, call: Ref, name: str, position: int | None, program: str | None = None
) -> PassedValue | None:
    """What a call passes as `name`, or at the 0-based `position`, ``**`` looked into; None if nothing."""
    assert isinstance(call.expr, Call)
    expr = argument(call.expr, name, position)
    if expr is not None:
        ref = call._replace(expr=expr)
        return PassedValue(evidence(project, ref, program), ref)
    value = passed_keyword(project, call, name, program)
    if value is None:
        return None
    steps = value.alternatives[0].steps if value.is_known else ()
    return PassedValue(value, steps[0].ref if steps else None)


def surplus(call: Ref, parameters: Sequence[str]) -> Iterator[Ref]:
    """The positional arguments that no parameter is there for."""
    assert isinstance(call.expr, Call)
    if not has_star(call):
        yield from (call._replace(expr=arg) for arg in call.expr.args[len(parameters) :])


def unknown_keywords(call: Ref, parameters: Sequence[str]) -> Iterator[Keyword]:
    """The keyword arguments that no parameter has the name of."""
    assert isinstance(call.expr, Call)
    for keyword in call.expr.keywords:
        if keyword.name is not None and keyword.name not in parameters:
            yield keyword


def missing(
    project: Project, call: Ref, parameters: Sequence[str], required: Sequence[str]
) -> tuple[str, ...]:
    """The required parameters that a call certainly passes nothing for."""
    if has_star(call):
        return ()
    return tuple(name for name in required if given(project, call, parameters, name) is None)


def has_star(call: Ref) -> bool:
    """Whether a call passes positional arguments by ``*``."""
    assert isinstance(call.expr, Call)
    return any(is_starred(arg) for arg in call.expr.args)


def keyword_name(key: str, keyword: Keyword) -> Place:
    """The place of a keyword argument's name in the file `key`."""
    assert keyword.name is not None
    line, column = keyword.span[:2]
    return Place(key, (line, column, line, column + len(keyword.name.encode())))


class StarredName(NamedTuple):
    """A keyword that a call gets from a dict display behind ``**``; `inline` if that stands in the call."""

    name: str
    place: Place
    inline: bool


def starred_names(project: Project, call: Ref) -> Iterator[StarredName]:
    """The keys of the dicts behind ``**``, of ``{"key": value}`` and of ``dict(key=value)``."""
    assert isinstance(call.expr, Call)
    for keyword in call.expr.keywords:
        if keyword.name is None:
            for origin in origins(project, call._replace(expr=keyword.value)):
                inline = origin.expr is keyword.value
                yield from (StarredName(name, place, inline) for name, place in _display_names(origin))


def _display_names(origin: Ref) -> Iterator[tuple[str, Place]]:
    expr = origin.expr
    if isinstance(expr, Mapping) and not origin.path:
        for key in expr.keys:
            if isinstance(key, Constant) and isinstance(key.value, str):
                yield key.value, Place(origin.key, key.span)
    elif isinstance(expr, Call) and isinstance(expr.func, Name) and expr.func.id == "dict":
        for keyword in expr.keywords:
            if keyword.name is not None:
                yield keyword.name, keyword_name(origin.key, keyword)


def starred_dictionary(call: Ref) -> Ref | None:
    """The dictionary that a call gets behind ``**``; None if there is none, or more than one."""
    assert isinstance(call.expr, Call)
    found = [keyword.value for keyword in call.expr.keywords if keyword.name is None]
    return call._replace(expr=found[0]) if len(found) == 1 else None


def added(call: Ref, arguments: Sequence[tuple[str, str]]) -> tuple[Intent, ...] | None:
    """What gives a call more keyword arguments, each a name and its code; None behind several ``**``.

    Where the call passes a dictionary by ``**`` they join that, which holds even if it has them already.
    """
    assert isinstance(call.expr, Call)
    if all(keyword.name is not None for keyword in call.expr.keywords):
        return tuple(SetArgument(call.place, name, code) for name, code in arguments)
    dictionary = starred_dictionary(call)
    if dictionary is None:
        return None
    items = "".join(f", {name}={code}" for name, code in arguments)
    return (WrapExpression(dictionary.place, "dict(", f"{items})"),)
