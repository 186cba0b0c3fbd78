"""What a field holds when a method is entered: where all its callers have just stored to it themselves.

``self.session = tf.Session()`` and then ``self._fit()``: in that method the field is this session, though the
constructor may have been given another one.
"""

from __future__ import annotations

from npu_migrate.index.facts import NOTHING, Attribute, Call, Name
from npu_migrate.index.names import enclosing_function
from npu_migrate.project.once import once, once_in_cycles
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.callers import callers
from npu_migrate.semantics.flow import stores_before
from npu_migrate.semantics.resolution import Definition, receiver_class


def method_reading(project: Project, ref: Ref, expr: Attribute) -> Definition | None:
    """The method that reads a field of its own object at `ref`; None for any other code."""
    if not isinstance(expr.value, Name):
        return None
    facts = project.facts(ref.key)
    assert facts is not None
    function = enclosing_function(facts, ref.scope)
    if function == NOTHING or function != ref.scope:
        return None
    is_own = receiver_class(facts, ref.scope, expr.value.id) != NOTHING
    return Definition(ref.key, function) if is_own else None


@once_in_cycles(None)
def stores_at_entry(project: Project, method: Definition, attr: str) -> tuple[Ref, ...] | None:
    """What a method finds in a field of its own object, if all that calls it stores to the field before.

    None where that is not certain, also where others than the methods of the object may call it.
    """
    found = callers(project, method)
    if found.escapes or found.hidden or found.partials or not found.sites:
        return None
    stored = [stores_at_call(project, site, attr) for site in found.sites]
    if any(one is None for one in stored):
        return None
    return tuple({id(ref.expr): ref for one in stored for ref in one or ()}.values())


@once
def stores_at_call(project: Project, site: Ref, attr: str) -> tuple[Ref, ...] | None:
    """The same for the call ``self.method()`` at `site` alone; None for a call for another object."""
    call = site.expr
    if not isinstance(call, Call) or not isinstance(call.func, Attribute):
        return None
    read = Attribute(call.func.value, attr, call.func.span)
    method = method_reading(project, site, read)
    if method is None:
        return None
    stored = stores_before(project, site, read)
    return stores_at_entry(project, method, attr) if stored is None else stored
