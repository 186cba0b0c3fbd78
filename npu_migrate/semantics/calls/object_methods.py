"""Whether a method runs for an object that one call of its class has made.

``Agent(sess)`` of a function that predicts has the method ``learn``, too; but that is called for the object
of another function.
"""

from __future__ import annotations

from collections.abc import Callable

from npu_migrate.index.facts import Attribute, Call
from npu_migrate.index.names import enclosing_function
from npu_migrate.project.once import once_in_cycles
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.construction import (
    class_of_method,
    constructed_class,
    is_of_own_object,
)
from npu_migrate.semantics.contexts import Traced, ends, objects_entered, traced
from npu_migrate.semantics.resolution import Definition, scope_of

Calls = Callable[[Project, Definition], tuple[Ref, ...]]
"""All places that may call a function."""


def construction_of(project: Project, method: Definition, place: Traced) -> Ref | None:
    """The call that made the object for which a method runs, if the way to `place` says so."""
    owner = class_of_method(project, method)
    if owner is None:
        return None
    calls = (frame.call for frame, _ in objects_entered(project, place, owner))
    return next((call for call in calls if call is not None), None)


@once_in_cycles(False)
def may_run_for(project: Project, method: Definition, made: Ref, calls: Calls) -> bool:
    """Whether a method may be called for the object that the call at `made` makes; in doubt it may, and so it
    may if nobody calls it."""
    sites = calls(project, method)
    return not sites or any(_may_be_for(project, site, made, calls) for site in sites)


def _may_be_for(project: Project, site: Ref, made: Ref, calls: Calls) -> bool:
    call = site.expr
    if not isinstance(call, Call) or not isinstance(call.func, Attribute):
        return True
    if is_of_own_object(project, site):
        facts = project.facts(site.key)
        assert facts is not None
        caller = Definition(site.key, enclosing_function(facts, site.scope))
        return scope_of(project, caller).name == "__init__" or may_run_for(project, caller, made, calls)
    found = ends(project, traced(site._replace(expr=call.func.value, path=())))
    return not found or any(
        one.keys or one.ref.expr is made.expr or constructed_class(project, one.ref) is None for one in found
    )
