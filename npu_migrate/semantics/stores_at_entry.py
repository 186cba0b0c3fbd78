"""What a field holds when a method is entered: where all its callers have just stored to it themselves.

``self.session = tf.Session()`` and then ``self._fit()``: in that method the field is this session, though the
constructor may have been given another one.
"""

from __future__ import annotations

from npu_migrate.index.facts import Attribute, Call, Constant
from npu_migrate.index.names import enclosing_function
from npu_migrate.project.once import once, once_in_cycles
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.calls.callers import callers
from npu_migrate.semantics.calls.returns import is_generator
from npu_migrate.semantics.flow import instance_classes, stores_before
from npu_migrate.semantics.inheritance import family, is_below_library
from npu_migrate.semantics.resolution import Definition, is_receiver, scope_of

_TAKEN_BY_NAME = {"getattr": 1, "methodcaller": 0, "attrgetter": 0}
"""Functions that take a method by its name, and which of their arguments that is."""


def method_reading(project: Project, ref: Ref, expr: Attribute) -> Definition | None:
    """The method that reads a field of its own object at `ref`; None for any other code."""
    facts = project.facts(ref.key)
    assert facts is not None
    function = enclosing_function(facts, ref.scope)
    is_own = function == ref.scope and is_receiver(facts, ref.scope, expr.value)
    return Definition(ref.key, function) if is_own else None


@once_in_cycles(None)
def stores_at_entry(project: Project, method: Definition, attr: str) -> tuple[Ref, ...] | None:
    """What a method finds in a field of its own object, if all that calls it stores to the field before.

    None where that is not certain, also where others than the methods of the object may call it.
    """
    # What a generator does, it does later than its call.
    found = callers(project, method)
    if not found.sites or not found.all_seen:
        return None
    if (
        is_generator(project, method)
        or is_below_library(project, method)
        or _is_called_by_name(project, method)
    ):
        return None
    stored = [stores_at_call(project, site, attr) for site in found.sites]
    if any(one is None for one in stored):
        return None
    return tuple({id(ref.expr): ref for one in stored for ref in one or ()}.values())


def _is_called_by_name(project: Project, method: Definition) -> bool:
    """Whether code takes a method by a text: ``getattr(trainer, "fit")``, or by one that is put together."""
    name = scope_of(project, method).name
    near = project.neighbours(method.key)
    for function, place in _TAKEN_BY_NAME.items():
        for key, site in project.calls_named(function):
            word = site.call.args[place] if key in near and len(site.call.args) > place else None
            if isinstance(word, Constant):
                if word.value == name:
                    return True
            elif word is not None and function == "getattr":
                holder = ref_of_call(key, site)._replace(expr=site.call.args[0])
                if _may_be_own(project, holder, method):
                    return True
    return False


def _may_be_own(project: Project, holder: Ref, method: Definition) -> bool:
    """Whether a value is seen to be an object of a class that has the method."""
    owner = Definition(method.key, scope_of(project, method).parent)
    return not set(instance_classes(project, holder)).isdisjoint(family(project, owner))


@once
def stores_at_call(project: Project, site: Ref, attr: str) -> tuple[Ref, ...] | None:
    """What the method finds there that the call ``self.method()`` at `site` runs; None for other calls."""
    call = site.expr
    if not isinstance(call, Call) or not isinstance(call.func, Attribute):
        return None
    read = Attribute(call.func.value, attr, call.func.span)
    method = method_reading(project, site, read)
    if method is None:
        return None
    stored = stores_before(project, site, read)
    return stores_at_entry(project, method, attr) if stored is None else stored
