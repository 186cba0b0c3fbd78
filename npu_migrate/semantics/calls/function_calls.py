"""Everything that runs a function: its calls, and the calls of values that hold it.

Lambdas, ``functools.partial`` objects, names and parameters that a function is handed on through count; so
do the functions of TensorFlow that call what they get at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from npu_migrate.index.facts import Call, Lambda
from npu_migrate.project.once import once_in_cycles
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.aliases import aliases_of
from npu_migrate.semantics.calls.callers import callers
from npu_migrate.semantics.calls.looked_up_calls import looked_up_calls
from npu_migrate.semantics.flow import activations, externals_called, is_partial
from npu_migrate.semantics.resolution import Definition, Symbol, scope_of, symbols
from npu_migrate.semantics.uses import uses

_DEEPEST = 6


@once_in_cycles(())
def all_calls_of(project: Project, target: Definition) -> tuple[Ref, ...]:
    """The calls that run the function or lambda `target`, in order of file and place.

    For ``__init__`` these are the calls that construct its class; for a property the places that read it.
    Calls through objects whose class is not known are left out.
    """
    found = {id(ref.expr): ref for ref in _all_calls_of(project, target)}
    return tuple(sorted(found.values(), key=lambda ref: (ref.key, ref.expr.span)))


def _all_calls_of(project: Project, target: Definition) -> Iterator[Ref]:
    scope = scope_of(project, target)
    known = callers(project, target)
    yield from known.sites
    yield from activations(project, target)
    yield from looked_up_calls(project, target)
    for partial in known.partials:
        yield from calls_of_value(project, partial)
    if scope.kind == "lambda":
        for site in project.sites(target.key, scope.statement).values():
            if isinstance(site.expr, Lambda) and site.expr.scope == target.scope:
                yield from calls_of_value(project, project.ref_of(target.key, site))
        return
    owner = Definition(target.key, scope.parent)
    subject = owner if scope.name == "__init__" else target
    for value in values_of(project, subject, scope_of(project, subject).name):
        yield from calls_of_value(project, value)


def values_of(project: Project, subject: Symbol, name: str) -> Iterator[Ref]:
    """Where the function or class `subject`, called `name` at home, is handed on without being called."""
    for spelling in sorted({name} | aliases_of(project, {name})):
        for key in project.files_mentioning(spelling):
            for site in (*project.names(key, spelling), *project.attributes(key, spelling)):
                called = isinstance(site.parent, Call) and site.parent.func is site.expr
                if not site.stored and not called and subject in symbols(project, key, site.scope, site.expr):
                    yield project.ref_of(key, site)


def calls_of_value(project: Project, value: Ref, depth: int = 0) -> Iterator[Ref]:
    """The calls of the function that `value` is, wherever it goes; those through partial objects too."""
    for use in uses(project, value):
        if use.kind == "call" or (use.kind == "argument" and _calls_at_once(project, use.ref)):
            yield use.ref
        elif use.kind == "argument" and use.name == "0" and is_partial(project, use.ref) and depth < _DEEPEST:
            yield from calls_of_value(project, use.ref, depth + 1)


def goes_out_of_sight(project: Project, target: Definition) -> bool:
    """Whether the function `target` is handed on to where nobody can follow it, and may be called there."""
    followed = {"call", "attribute", "tested"}
    if any(looked_up_calls(project, target)):
        followed.add("contained")
    return any(
        _is_out_of_sight(project, value, followed, 0)
        for value in values_of(project, target, scope_of(project, target).name)
    )


def _is_out_of_sight(project: Project, value: Ref, followed: Set[str], depth: int) -> bool:
    for use in uses(project, value):
        if use.kind in followed:
            continue
        if use.kind != "argument" or depth >= _DEEPEST:
            return True
        if use.name == "0" and is_partial(project, use.ref):
            if _is_out_of_sight(project, use.ref, followed, depth + 1):
                return True
        elif not _calls_at_once(project, use.ref):
            return True
    return False


def _calls_at_once(project: Project, call: Ref) -> bool:
    return bool(externals_called(project, call) & project.libraries.calls_at_once)
