"""Objects of classes that a program derives from a library's: the call that gives the library's constructor
its arguments.

That is the call which makes the object, if its class has no constructor or one that hands all on, or else the
only call of ``super().__init__`` in it. What another constructor does is the program's own affair.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import NOTHING, Call, Name, is_starred, last_name
from npu_migrate.index.names import enclosing_class
from npu_migrate.index.plain_bases import is_plain_base
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.aliases import aliases_of
from npu_migrate.semantics.calls.parameters import is_super
from npu_migrate.semantics.flow import call_targets, callee_definitions, externals_called
from npu_migrate.semantics.inheritance import methods_named, subclasses
from npu_migrate.semantics.resolution import Definition, External, all_bases, scope_of

CONSTRUCTOR = "__init__"


class Construction(NamedTuple):
    """The call that gets what the constructor of the library's class `base` takes."""

    call: Ref
    base: str


@once
def construction(project: Project, made: Ref) -> Construction | None:
    """What gives the library's constructor its arguments, for the object made at `made`; None if that is not
    certain.
    """
    names = externals_called(project, made)
    if len(names) == 1:
        return Construction(made, *names)
    owners = callee_definitions(project, made, made.expr) if isinstance(made.expr, Call) else ()
    if names or len(owners) != 1:
        return None
    outside = (one.name for one in all_bases(project, owners[0]) if isinstance(one, External))
    bases = {name for name in outside if not is_plain_base(name)}
    constructors = methods_named(project, owners[0], CONSTRUCTOR)
    if len(bases) != 1 or len(constructors) > 1:
        return None
    if not constructors:
        return Construction(made, *bases)
    (constructor,) = constructors
    facts = project.facts(constructor.key)
    assert facts is not None
    calls = [
        ref_of_call(constructor.key, site)
        for site in facts.calls
        if last_name(site.call.func) == CONSTRUCTOR and site.scope == constructor.scope
    ]
    if len(calls) != 1 or not _is_of_super(project, calls[0]):
        return None
    return Construction(made if _hands_all_on(project, constructor, calls[0]) else calls[0], *bases)


def made_by(project: Project, constructing: Ref) -> Iterator[Ref]:
    """The calls that make the objects which the constructor with the call at `constructing` serves."""
    facts = project.facts(constructing.key)
    assert facts is not None
    owner = enclosing_class(facts, constructing.scope)
    if owner != NOTHING:
        base = Definition(constructing.key, owner)
        for each in (base, *subclasses(project, base)):
            yield from instances(project, each)


def instances(project: Project, owner: Definition) -> Iterator[Ref]:
    """The calls that make an instance of a class."""
    names = {scope_of(project, owner).name}
    for name in sorted(names | aliases_of(project, names)):
        for key, site in project.calls_named(name):
            call = ref_of_call(key, site)
            if owner in callee_definitions(project, call, site.call):
                yield call


def _is_of_super(project: Project, call: Ref) -> bool:
    """Whether a call runs the constructor of the library's class, by ``super()``."""
    return isinstance(call.expr, Call) and is_super(call.expr) and not call_targets(project, call)


def _hands_all_on(project: Project, constructor: Definition, call: Ref) -> bool:
    """Whether a constructor is ``def __init__(self, *args, **kwargs)`` and gives just these on."""
    _, *parameters = scope_of(project, constructor).parameters
    kinds = {one.kind: one.name for one in parameters}
    if len(kinds) != len(parameters) or not kinds.keys() <= {"varargs", "varkeywords"}:
        return False
    assert isinstance(call.expr, Call)
    given = [one.parts[0] for one in call.expr.args if is_starred(one)]
    keywords = [keyword.value for keyword in call.expr.keywords if keyword.name is None]
    if len(given) != len(call.expr.args) or len(keywords) != len(call.expr.keywords):
        return False
    names = {"varargs": given, "varkeywords": keywords}
    return all(
        [one.id if isinstance(one, Name) else "" for one in values]
        == ([kinds[kind]] if kind in kinds else [])
        for kind, values in names.items()
    )
