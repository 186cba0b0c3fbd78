"""Which calls can have made the object that code works on.

A base class keeps in its constructor what it is given, and each class derived from it gives something else.
What the methods of one of them find in the field is what its own constructor was given, and not what a
sister's was.
"""

from __future__ import annotations

from typing import NamedTuple

from npu_migrate.index.facts import NOTHING, Attribute, Call, Name, last_name
from npu_migrate.index.names import enclosing_class
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.inheritance import subclasses
from npu_migrate.semantics.resolution import (
    Definition,
    all_bases,
    definitions,
    is_receiver,
    receiver_class,
    scope_of,
)


class ObjectClass(NamedTuple):
    """The class of an object; it may be of a derived one where the class is not `exact`."""

    definition: Definition
    exact: bool


def constructed_class(project: Project, call: Ref) -> ObjectClass | None:
    """The class that a call makes an object of, if there is just one that it can be; ``cls(…)`` in a class
    method makes one of a derived class, where that is called for it."""
    if not isinstance(call.expr, Call):
        return None
    func = call.expr.func
    found = definitions(project, call.key, call.scope, func)
    if len(found) != 1 or scope_of(project, found[0]).kind != "class":
        return None
    facts = project.facts(call.key)
    assert facts is not None
    return ObjectClass(found[0], exact=not is_receiver(facts, call.scope, func))


def class_of_method(project: Project, method: Definition) -> Definition | None:
    """The class in whose body a function is defined."""
    parent = scope_of(project, method).parent
    owner = Definition(method.key, parent)
    return owner if parent != NOTHING and scope_of(project, owner).kind == "class" else None


def inherits(project: Project, made: ObjectClass, base: Definition) -> bool:
    """Whether objects of a class have the methods of `base`, as they have its own."""
    return base in all_bases(project, made.definition)


def is_of(project: Project, made: ObjectClass, owner: Definition) -> bool:
    """Whether an object of the class `made` may be one of the class `owner`, as it may be one of a derived
    class."""
    return inherits(project, made, owner) or owner in _kinds(project, made)


def _kinds(project: Project, made: ObjectClass) -> tuple[Definition, ...]:
    """The classes that an object may be made of."""
    return (made.definition, *(() if made.exact else subclasses(project, made.definition)))


@once
def may_be_for(project: Project, made: ObjectClass, site: Ref) -> bool:
    """Whether a call may be one for an object of `made`: it makes such an object, or is made for the own
    object by code of a class whose methods such objects have. Calls for other objects are not told apart."""
    call = site.expr
    if not isinstance(call, Call):
        return True
    kinds = _kinds(project, made)
    constructed = constructed_class(project, site)
    if constructed is not None:
        return not set(kinds).isdisjoint(_kinds(project, constructed))
    owner = _class_of_own_call(project, site, call)
    return owner is None or any(owner in all_bases(project, kind) for kind in kinds)


def is_of_own_object(project: Project, site: Ref) -> bool:
    """Whether a method calls another one for the object that it was called for itself."""
    return isinstance(site.expr, Call) and _class_of_own_call(project, site, site.expr) is not None


def _class_of_own_call(project: Project, site: Ref, call: Call) -> Definition | None:
    """The class whose method makes a call for its own object: ``self.…()``, ``super().…()`` or
    ``Base.…(self)``."""
    if not isinstance(call.func, Attribute):
        return None
    facts = project.facts(site.key)
    assert facts is not None
    holder = call.func.value
    if isinstance(holder, Name) and call.args and _is_class(project, site, holder):
        holder = call.args[0]
    own = NOTHING
    if isinstance(holder, Name):
        own = receiver_class(facts, site.scope, holder.id)
    elif isinstance(holder, Call) and last_name(holder.func) == "super":
        own = enclosing_class(facts, site.scope)
    return None if own == NOTHING else Definition(site.key, own)


def _is_class(project: Project, site: Ref, name: Name) -> bool:
    found = definitions(project, site.key, site.scope, name)
    return any(scope_of(project, one).kind == "class" for one in found)
