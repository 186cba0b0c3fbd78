"""Which functions of the project a value is, and how they know what is around them.

By name, as a method, lambda or object that can be called, behind ``functools.partial``, or made by a factory
whose parameters it still sees.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

from npu_migrate.index.facts import Attribute, Call, Lambda, Name, is_starred
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.parameters import is_bound_method
from npu_migrate.semantics.contexts import Frame, Traced, ends, instances
from npu_migrate.semantics.flow import is_partial, named_definitions, origins
from npu_migrate.semantics.inheritance import methods_named
from npu_migrate.semantics.resolution import Definition, external_names, scope_of

_DEEPEST_PARTIAL = 4


class FunctionValue(NamedTuple):
    """A function that a value may be; `inside` is a place whose frames end with that function.

    Its parameters are unknown there, but for those that a partial object has given.
    """

    target: Definition
    inside: Traced


def functions_of(project: Project, value: Traced) -> tuple[FunctionValue, ...]:
    """The project functions that the value may be; none where it is something outside."""
    found: dict[object, FunctionValue] = {}
    for item in _functions_of(project, value, (), 0):
        found.setdefault((item.target, item.inside.frames, frozenset(item.inside.assumed)), item)
    return tuple(found.values())


_Bound = tuple[tuple[tuple[Traced, ...], tuple[tuple[str, Traced], ...]], ...]


def _functions_of(project: Project, value: Traced, bound: _Bound, depth: int) -> Iterator[FunctionValue]:
    for end in ends(project, value):
        expr = end.ref.expr
        if end.keys:
            continue
        if isinstance(expr, Lambda):
            yield _entered(project, Definition(end.ref.key, expr.scope), end, bound, False)
        elif isinstance(expr, (Name, Attribute)):
            yield from _named(project, end, expr, bound)
        elif isinstance(expr, Call):
            if is_partial(project, end.ref) and expr.args and depth < _DEEPEST_PARTIAL:
                # What stands behind a star goes to nobody knows which parameter.
                counted = takewhile(lambda one: not is_starred(one), expr.args[1:])
                given = tuple(end.at(item) for item in counted)
                named = tuple((k.name, end.at(k.value)) for k in expr.keywords if k.name is not None)
                yield from _functions_of(project, end.at(expr.args[0]), (*bound, (given, named)), depth + 1)
            else:
                for place, owner in instances(project, end):
                    for target in methods_named(project, owner, "__call__"):
                        yield _entered(project, target, place, bound, True)


def _named(project: Project, end: Traced, expr: Name | Attribute, bound: _Bound) -> Iterator[FunctionValue]:
    for target in named_definitions(project, end.ref._replace(path=())):
        if scope_of(project, target).kind != "function":
            continue
        places = [end]
        is_method = isinstance(expr, Attribute) and is_bound_method(project, target)
        if is_method and isinstance(expr, Attribute):
            places = [place for place, _ in instances(project, end.at(expr.value))] or [end]
        for place in places:
            yield _entered(project, target, place, bound, is_method)


def _entered(
    project: Project, target: Definition, place: Traced, bound: _Bound, is_method: bool
) -> FunctionValue:
    names = [p.name for p in scope_of(project, target).parameters if p.kind == "positional"][is_method:]
    given: dict[str, Traced] = {}
    for positional, keywords in reversed(bound):
        given.update(zip(names, positional, strict=False))
        names = names[len(positional) :]
        given.update(keywords)
    frame = Frame(target, None, tuple(given.items()))
    return FunctionValue(target, place._replace(keys=(), frames=(*place.frames, frame)))


def externals_called_partially(project: Project, ref: Ref) -> frozenset[str]:
    """What the call at `ref`, of a name, calls outside the project that a ``functools.partial`` was given."""
    call = ref.expr
    if not isinstance(call, Call) or not isinstance(call.func, Name):
        return frozenset()
    names: frozenset[str] = frozenset()
    for origin in origins(project, ref._replace(expr=call.func, path=())):
        if isinstance(origin.expr, Call) and origin.expr.args and is_partial(project, origin):
            names |= external_names(project, origin.key, origin.scope, origin.expr.args[0])
    return names
