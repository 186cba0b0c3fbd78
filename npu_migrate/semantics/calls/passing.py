"""What a call gets for a parameter: by keyword, by position, or out of a dictionary behind ``**``."""

from __future__ import annotations

from typing import NamedTuple

from npu_migrate.index.facts import Call, Constant, Mapping, Name, is_starred
from npu_migrate.index.names import lookup
from npu_migrate.project.once import once_in_cycles
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.callers import callers
from npu_migrate.semantics.flow import origins
from npu_migrate.semantics.objects import identities, item_writes
from npu_migrate.semantics.resolution import Definition, scope_of, symbols


class Passed(NamedTuple):
    """What a call passes for one parameter.

    `values` are the expressions it may be, none if it is left out; `direct` tells that there is one and that
    it stands in the call itself. `certain` is False where the call may pass something that cannot be seen.
    """

    values: tuple[Ref, ...] = ()
    direct: bool = False
    certain: bool = True


def passed_objects(project: Project, call: Ref, name: str, position: int | None = None) -> Passed:
    """What the call at `call` passes for parameter `name`, which is also its 0-based `position`, if any."""
    assert isinstance(call.expr, Call)
    for keyword in call.expr.keywords:
        if keyword.name == name:
            return Passed((call._replace(expr=keyword.value),), direct=True)
    stars = [index for index, item in enumerate(call.expr.args) if is_starred(item)]
    if position is not None and position < min([*stars, len(call.expr.args)]):
        return Passed((call._replace(expr=call.expr.args[position]),), direct=True)
    if stars:
        return _unpacked(project, call, position, stars)
    values: tuple[Ref, ...] = ()
    for keyword in call.expr.keywords:
        if keyword.name is None:
            found = _items(project, call._replace(expr=keyword.value), name)
            if found is None:
                return Passed(certain=False)
            values = found or values
    return Passed(values)


def is_dictionary(project: Project, ref: Ref) -> bool:
    """Whether all that `ref` may be is a dict: a display, ``dict(…)``, what a function gets by ``**``."""
    found = origins(project, ref)
    return bool(found) and all(_is_dictionary(project, one) for one in found)


def _is_dictionary(project: Project, origin: Ref) -> bool:
    if origin.path:
        return False
    if isinstance(origin.expr, Mapping) or _is_made_by_dict(project, origin):
        return True
    return _gathered_by(project, origin) is not None


def _gathered_by(project: Project, origin: Ref) -> Definition | None:
    """The function whose keywords that no parameter takes are in `origin`, as in its ``**kwargs``."""
    if not isinstance(origin.expr, Name):
        return None
    facts = project.facts(origin.key)
    assert facts is not None
    name = origin.expr.id
    found = lookup(facts, origin.scope, name)
    if found is None or len(found.bindings) != 1:
        return None
    parameters = facts.scopes[found.scope].parameters
    gathers = any(one.name == name and one.kind == "varkeywords" for one in parameters)
    return Definition(origin.key, found.scope) if gathers else None


def _given_by_callers(project: Project, function: Definition, key: str) -> tuple[Ref, ...] | None:
    """What the calls of a function pass it as `key`, which no parameter of it takes; None if that is not all
    in view, or if only some of them pass it."""
    if any(one.name == key for one in scope_of(project, function).parameters):
        return ()
    known = callers(project, function)
    if not known.sites or not known.all_seen:
        return None
    given = [passed_objects(project, site, key) for site in known.sites]
    if not all(one.certain for one in given) or len({bool(one.values) for one in given}) > 1:
        return None
    return tuple(value for one in given for value in one.values)


def _is_made_by_dict(project: Project, origin: Ref) -> bool:
    expr = origin.expr
    return (
        isinstance(expr, Call)
        and isinstance(expr.func, Name)
        and expr.func.id == "dict"
        and not symbols(project, origin.key, origin.scope, expr.func)
    )


def _unpacked(project: Project, call: Ref, position: int | None, stars: list[int]) -> Passed:
    """What ``f(a, *build())`` passes at a position behind the star, if what is unpacked can be seen."""
    assert isinstance(call.expr, Call)
    item = call.expr.args[stars[0]]
    if position is None or stars != [len(call.expr.args) - 1] or not is_starred(item):
        return Passed(certain=False)
    unpacked = call._replace(expr=item.parts[0], path=(position - stars[0],))
    found = origins(project, unpacked)
    if any(origin.path or origin.expr is item.parts[0] for origin in found):
        return Passed(certain=False)
    return Passed(found)


@once_in_cycles(None)
def _items(project: Project, ref: Ref, key: str) -> tuple[Ref, ...] | None:
    """The values that the dictionary `ref` may hold under `key`; None if its contents are not all in view."""
    files = project.neighbours(ref.key)
    found = [write.value for write in item_writes(project, files, identities(project, ref), key)]
    for origin in origins(project, ref):
        made = _made_with(project, origin, key)
        if made is None:
            return None
        found.extend(made)
    if any(value is None for value in found):
        return None
    return tuple(value for value in found if value is not None)


def _made_with(project: Project, origin: Ref, key: str) -> tuple[Ref, ...] | None:
    expr = origin.expr
    if origin.path:
        return None
    function = _gathered_by(project, origin)
    if function is not None:
        return _given_by_callers(project, function, key)
    if isinstance(expr, Mapping):
        found: tuple[Ref, ...] = ()
        for index, value in zip(expr.keys, expr.values, strict=True):
            inner = origin._replace(expr=value)
            if index is None:
                merged = _items(project, inner, key)
                if merged is None:
                    return None
                found = merged or found
            elif not isinstance(index, Constant):
                return None
            elif index.value == key:
                found = (inner,)
        return found
    if _is_made_by_dict(project, origin):
        assert isinstance(expr, Call)
        if len(expr.args) > 1:
            return None
        base: tuple[Ref, ...] | None = ()
        if expr.args:
            base = _items(project, origin._replace(expr=expr.args[0]), key)
        given = passed_objects(project, origin, key)
        return None if base is None or not given.certain else given.values or base
    return None
