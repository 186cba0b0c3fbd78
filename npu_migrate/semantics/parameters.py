"""How the arguments of one call get to the parameters of the function that it runs."""

from __future__ import annotations

from npu_migrate.index.facts import NOTHING, Attribute, Call, Name, Scope, argument
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.resolution import Definition, definitions, scope_of


def argument_for(project: Project, site: Ref, target: Definition, name: str) -> Ref | None:
    """What the call at `site` passes for parameter `name` of `target`; None when it passes nothing."""
    call = site.expr
    assert isinstance(call, Call)
    scope = scope_of(project, target)
    plain = [p.name for p in scope.parameters if p.kind == "positional"]
    offset = 1 if is_bound_method(project, target) and called_on_instance(project, site, scope) else 0
    position = plain.index(name) - offset if name in plain else None
    value = argument(call, name, position if position is None or position >= 0 else None)
    return None if value is None else Ref(site.key, site.scope, site.statement, value)


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
