"""Objects out of a registry, or of a class that a program is given: nobody sees what is in them."""

from __future__ import annotations

from npu_migrate.index.facts import NOTHING, Attribute, Call, Collection, Mapping, Name, children
from npu_migrate.index.names import lookup
from npu_migrate.project.once import once_at
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import call_targets, callee_definitions, externals_called, origins
from npu_migrate.semantics.inheritance import subclasses
from npu_migrate.semantics.resolution import Definition, receiver_class
from npu_migrate.semantics.uses import Use


@once_at
def is_field_of_the_unseen(project: Project, fetched: Ref) -> bool:
    """Whether what is fetched, or a part of it, is a field of what ``MODELS[name]()`` or the like gives."""
    stack, seen = [fetched], set[int]()
    while stack:
        for origin in origins(project, stack.pop()):
            expr = origin.expr
            if id(expr) in seen:
                continue
            seen.add(id(expr))
            if isinstance(expr, (Collection, Mapping)):
                stack.extend(origin._replace(expr=part, path=()) for part in children(expr))
            elif isinstance(expr, Attribute):
                made = origins(project, origin._replace(expr=expr.value, path=()))
                if any(_is_looked_up(project, one) for one in made):
                    return True
    return False


def goes_to_the_unseen(project: Project, use: Use) -> bool:
    """Whether something is an argument of a method of such an object, or one that is left to subclasses."""
    call = use.ref.expr
    if use.kind != "argument" or not isinstance(call, Call) or not isinstance(call.func, Attribute):
        return False
    if call_targets(project, use.ref):
        return False
    made = origins(project, use.ref._replace(expr=call.func.value, path=()))
    return any(_is_looked_up(project, one) or _has_subclasses(project, one) for one in made)


def _has_subclasses(project: Project, made: Ref) -> bool:
    """Whether a name is ``self`` in a class that others are derived from."""
    facts = project.facts(made.key)
    assert facts is not None
    if not isinstance(made.expr, Name):
        return False
    owner = receiver_class(facts, made.scope, made.expr.id)
    return owner != NOTHING and bool(subclasses(project, Definition(made.key, owner)))


def _is_looked_up(project: Project, made: Ref) -> bool:
    """Whether a call is one of something that was taken out of a dictionary, given or looked up by name."""
    call = made.expr
    if not isinstance(call, Call) or isinstance(call.func, Attribute):
        return False
    known = (
        call_targets(project, made)
        or callee_definitions(project, made, call)
        or externals_called(project, made)
    )
    return not known and not _is_builtin(project, made, call)


def _is_builtin(project: Project, made: Ref, call: Call) -> bool:
    """Whether what is called is a name that the file does not bind: one of Python's own."""
    facts = project.facts(made.key)
    assert facts is not None
    return isinstance(call.func, Name) and lookup(facts, made.scope, call.func.id) is None
