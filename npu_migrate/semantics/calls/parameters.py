"""How the arguments of one call get to the parameters of the function that it runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import (
    NOTHING,
    Attribute,
    Call,
    Constant,
    Expr,
    Mapping,
    Name,
    Scope,
    argument,
    is_starred,
)
from npu_migrate.index.keys import ANY
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.resolution import Definition, definitions, scope_of


class Passed(NamedTuple):
    """What a call passes for a parameter.

    `value` is the argument that stands there for it. If there is none, `hidden` are expressions behind ``*``
    and ``**`` out of which it may come, or arguments that may be it, each with the indices and keys to be
    taken out of its value. If there is nothing at all, the parameter has its default.
    """

    value: Ref | None = None
    hidden: tuple[tuple[Ref, tuple[object, ...]], ...] = ()

    @property
    def is_counted(self) -> bool:
        """Whether it does not depend on how many items a ``*`` stands for."""
        return all(keys and isinstance(keys[0], str) for _, keys in self.hidden)


def argument_for(project: Project, site: Ref, target: Definition, name: str) -> Ref | None:
    """The argument of the call at `site` for parameter `name` of `target`; None where none is in sight."""
    return passed_for(project, site, target, name).value


def passed_for(project: Project, site: Ref, target: Definition, name: str) -> Passed:
    """What the call at `site` passes for parameter `name` of `target`."""
    call = site.expr
    assert isinstance(call, Call)
    scope = scope_of(project, target)
    plain = [p.name for p in scope.parameters if p.kind == "positional"]
    offset = 1 if is_bound_method(project, target) and called_on_instance(project, site, scope) else 0
    position = plain.index(name) - offset if name in plain else None
    if position is not None and position < 0:
        position = None
    value = argument(call, name, position)
    if value is not None:
        return Passed(site._replace(expr=value, path=()))
    hidden = [*_behind_star(call, position), *_behind_stars(call, name)]
    return Passed(None, tuple((site._replace(expr=expr, path=()), keys) for expr, keys in hidden))


def _behind_star(call: Call, position: int | None) -> Iterator[tuple[Expr, tuple[object, ...]]]:
    """What may be the argument at `position`: an item of the first ``*``, or whatever stands behind that."""
    star = next((n for n, one in enumerate(call.args) if is_starred(one)), None)
    if star is None or position is None or position < star:
        return
    for one in call.args[star:]:
        if not is_starred(one):
            yield one, ()
        elif one is call.args[star]:
            yield one.parts[0], (position - star,)
        else:
            yield one.parts[0], (ANY,)


def _behind_stars(call: Call, name: str) -> Iterator[tuple[Expr, tuple[object, ...]]]:
    """The dictionaries behind ``**`` that may have the key `name`."""
    for keyword in call.keywords:
        if keyword.name is None and not _lacks(keyword.value, name):
            yield keyword.value, (name,)


def _lacks(expr: Expr, name: str) -> bool:
    """Whether an expression is a dictionary that says all its keys, and `name` is none of them."""
    if not isinstance(expr, Mapping):
        return False
    return all(isinstance(key, Constant) and key.value != name for key in expr.keys)


def default_for(project: Project, target: Definition, name: str) -> Ref | None:
    """The default of parameter `name` of `target`, where it is computed; None if it has none."""
    scope = scope_of(project, target)
    expr = next((p.default for p in scope.parameters if p.name == name), None)
    return None if expr is None else Ref(target.key, scope.parent, scope.statement, expr)


def is_bound_method(project: Project, target: Definition) -> bool:
    """Whether a call of `target` through an instance fills its first parameter."""
    facts = project.facts(target.key)
    assert facts is not None
    scope = facts.scopes[target.scope]
    if scope.kind != "function" or scope.parent == NOTHING or facts.scopes[scope.parent].kind != "class":
        return False
    return not any(isinstance(item, Name) and item.id == "staticmethod" for item in scope.decorators)


def called_on_instance(project: Project, site: Ref, scope: Scope) -> bool:
    """Whether the call at `site` fills the first parameter by itself: False for ``Class.method(obj, …)``."""
    call = site.expr
    assert isinstance(call, Call)
    if scope.name == "__init__" or not isinstance(call.func, Attribute):
        return not (isinstance(call.func, Attribute) and call.func.attr == "__init__" and not is_super(call))
    owners = definitions(project, site.key, site.scope, call.func.value)
    return not any(scope_of(project, owner).kind == "class" for owner in owners)


def is_super(call: Call) -> bool:
    """Whether a call is one of a method of ``super()``."""
    func = call.func
    return (
        isinstance(func, Attribute)
        and isinstance(func.value, Call)
        and isinstance(func.value.func, Name)
        and func.value.func.id == "super"
    )
