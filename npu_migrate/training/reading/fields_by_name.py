"""What an object has of which nobody sees the class: what any class of its programs has by that name."""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.index.facts import (
    NOTHING,
    Attribute,
    Call,
    Collection,
    Expr,
    Mapping,
    Name,
    Subscript,
    children,
)
from npu_migrate.index.stores import stored_value
from npu_migrate.project.once import once, once_at
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.returns import returned_values
from npu_migrate.semantics.flow import call_targets, externals_called, instance_classes, origins
from npu_migrate.semantics.resolution import Definition, receiver_class, symbols
from npu_migrate.semantics.uses import Use

_MOST_CLASSES = 12
"""How many fields or methods of one name are looked at: what very many classes have says nothing."""

_RUN = "run"


@once_at
def values_by_name(project: Project, fetched: Ref) -> tuple[tuple[Ref, ...], ...]:
    """What is fetched, if it is a field, or the result of a method, of an object of an unknown class.

    That may be a part of what is fetched, as in ``[model.op, model.loss]`` and ``model.ops["train"]``. For
    each field there is one tuple, which is empty if no class has such a field.
    """
    return tuple(_find_values(project, fetched))


def _find_values(project: Project, fetched: Ref) -> Iterator[tuple[Ref, ...]]:
    stack, seen = [fetched], set[int]()
    while stack:
        for origin in origins(project, stack.pop()):
            expr = origin.expr
            if id(expr) in seen:
                continue
            seen.add(id(expr))
            stack.extend(origin._replace(expr=part, path=()) for part in _parts(project, origin))
            read = expr.func if isinstance(expr, Call) else expr
            if isinstance(read, Attribute) and _is_of_unknown(project, origin, read):
                yield _values(project, origin.key, read.attr)


def runs_by_name(project: Project, use: Use) -> Iterator[Ref]:
    """What is run in a session by the methods that may get it: ``model.step(sess)`` of an unknown model."""
    call = use.ref.expr
    if use.kind != "argument" or not isinstance(call, Call) or not isinstance(call.func, Attribute):
        return
    if not _is_of_unknown(project, use.ref, call.func):
        return
    for method in _methods(project, use.ref.key, call.func.attr):
        facts = project.facts(method.key)
        assert facts is not None
        given = {one.name for one in facts.scopes[method.scope].parameters}
        for site in facts.calls:
            func = site.call.func
            if site.scope != method.scope or not isinstance(func, Attribute) or func.attr != _RUN:
                continue
            if isinstance(func.value, Name) and func.value.id in given and site.call.args:
                yield Ref(method.key, site.scope, site.statement, site.call.args[0])


def _parts(project: Project, origin: Ref) -> Iterator[Expr]:
    """What something is put together from, or taken out of."""
    expr = origin.expr
    if isinstance(expr, (Collection, Mapping)):
        yield from children(expr)
    elif isinstance(expr, Subscript):
        yield expr.value
    elif isinstance(expr, Call) and not call_targets(project, origin):
        if isinstance(expr.func, Attribute):
            yield expr.func.value
        elif not externals_called(project, origin):
            yield from expr.args


def _is_of_unknown(project: Project, origin: Ref, read: Attribute) -> bool:
    return is_of_unknown_class(project, origin._replace(expr=read.value, path=()))


def is_of_unknown_class(project: Project, holder: Ref) -> bool:
    """Whether nobody sees of which class an object is: none of the project, no library's, and no module."""
    if symbols(project, holder.key, holder.scope, holder.expr) or instance_classes(project, holder):
        return False
    return not any(externals_called(project, made) for made in origins(project, holder))


def _values(project: Project, key: str, name: str) -> tuple[Ref, ...]:
    near = project.neighbours(key)
    methods = _methods(project, key, name)
    stored = [one for one in _stores(project, name) if one.key in near]
    if len(stored) + len(methods) > _MOST_CLASSES:
        return ()
    return (*stored, *(value for method in methods for value in returned_values(project, method)))


@once
def _stores(project: Project, name: str) -> tuple[Ref, ...]:
    """What methods store in a field of this name of their object."""
    return tuple(_find_stores(project, name))


def _find_stores(project: Project, name: str) -> Iterator[Ref]:
    for key in project.files_mentioning(name):
        facts = project.facts(key)
        assert facts is not None
        for site in project.attributes(key, name):
            holder = site.expr.value if isinstance(site.expr, Attribute) else None
            if not site.stored or not isinstance(holder, Name):
                continue
            if receiver_class(facts, site.scope, holder.id) != NOTHING:
                found = stored_value(facts.statements[site.statement], site.expr)
                if found is not None:
                    yield Ref(key, site.scope, site.statement, *found)


@once
def _methods(project: Project, key: str, name: str) -> tuple[Definition, ...]:
    """The methods and properties of this name in the programs of a file; none if they are very many."""
    near = project.neighbours(key)
    found = tuple(
        Definition(facts.key, scope.id)
        for facts in project.relevant()
        if facts.key in near
        for scope in facts.scopes
        if scope.kind == "function" and scope.name == name and facts.scopes[scope.parent].kind == "class"
    )
    return found if len(found) <= _MOST_CLASSES else ()
