"""Objects out of a registry, or of a class that a program is given: nobody sees what is in them."""

from __future__ import annotations

from npu_migrate.index.facts import (
    NOTHING,
    Attribute,
    Call,
    Collection,
    Comprehension,
    Constant,
    Expr,
    Mapping,
    Name,
    children,
)
from npu_migrate.index.names import lookup
from npu_migrate.project.once import once_at
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.contexts import Traced, ends, traced
from npu_migrate.semantics.each_once import EachOnce
from npu_migrate.semantics.flow import (
    attribute_stores,
    call_targets,
    callee_definitions,
    externals_called,
    origins,
)
from npu_migrate.semantics.inheritance import subclasses
from npu_migrate.semantics.resolution import Definition, Module, receiver_class, scope_of, symbols
from npu_migrate.semantics.uses import Use

_HOLDERS = (
    "queue.",
    "Queue.",
    "multiprocessing.",
    "threading.",
    "types.SimpleNamespace",
    "argparse.Namespace",
)
"""Whose objects give what somebody else has put into them, often in another function or thread."""


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


@once_at
def is_put_there_elsewhere(project: Project, fetched: Ref) -> bool:
    """Whether what is fetched, or a part of it, is what other code leaves at a place that many reach: in a
    queue, or in a field of a class or a module that itself puts nothing there but None."""
    parts = EachOnce([traced(fetched)])
    for part in parts:
        found = ends(project, part)
        if found and all(_is_none(end.ref.expr) for end in found):
            return True
        for end in found:
            expr = end.ref.expr
            if isinstance(expr, (Collection, Mapping)):
                parts.add(*(end.at(item) for item in children(expr)))
            elif isinstance(expr, Comprehension):
                parts.add(end.at(expr.sources[0]))
            elif isinstance(expr, Attribute):
                if _is_of_holder(project, end, expr) or _is_filled_from_outside(project, end.ref, expr):
                    return True
            elif isinstance(expr, Call):
                if isinstance(expr.func, Attribute) and _is_of_holder(project, end, expr.func):
                    return True
                if _is_builtin(project, end.ref, expr):
                    parts.add(*(end.at(item) for item in expr.args))
    return False


def _is_none(expr: Expr) -> bool:
    return isinstance(expr, Constant) and expr.value is None


def _is_of_holder(project: Project, place: Traced, field: Attribute) -> bool:
    """Whether a field or method is one of a queue, or of another object of Python's that other code fills."""
    return any(
        isinstance(made.ref.expr, Call)
        and any(name.startswith(_HOLDERS) for name in externals_called(project, made.ref))
        for made in ends(project, place.at(field.value))
    )


def _is_filled_from_outside(project: Project, origin: Ref, field: Attribute) -> bool:
    """Whether a field is one of a class or a module of the project, which themselves do not fill it."""
    for symbol in symbols(project, origin.key, origin.scope, field.value):
        if isinstance(symbol, Module):
            return True  # what a module fills, `ends` has followed
        if isinstance(symbol, Definition) and scope_of(project, symbol).kind == "class":
            return all(_is_none(one.expr) for one in attribute_stores(project, (symbol,), field.attr))
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
    """Whether a call is one of something that was taken out of a dictionary, given or looked up by name.

    So is one of a method of what such a call gives: ``MODELS[name]().compile()``.
    """
    looked_at = EachOnce([traced(made)])
    for here in looked_at:
        call = here.ref.expr
        if not isinstance(call, Call):
            continue
        known = (
            call_targets(project, here.ref)
            or callee_definitions(project, here.ref, call)
            or externals_called(project, here.ref)
        )
        if known:
            continue
        if not isinstance(call.func, Attribute):
            if not _is_builtin(project, here.ref, call):
                return True
        elif isinstance(call.func.value, Call):
            looked_at.add(here.at(call.func.value))
    return False


def _is_builtin(project: Project, made: Ref, call: Call) -> bool:
    """Whether what is called is a name that the file does not bind: one of Python's own."""
    facts = project.facts(made.key)
    assert facts is not None
    return isinstance(call.func, Name) and lookup(facts, made.scope, call.func.id) is None
