"""Calls of functions and objects that no name in the call stands for.

``READERS["numbers"](…)`` and ``READERS.get(name)(…)`` call what a dictionary holds, also what a decorator has
put there; ``Inputs(1.0)(…)`` calls an object.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import (
    NOTHING,
    Attribute,
    Call,
    Constant,
    Expr,
    Mapping,
    Name,
    Subscript,
    argument,
)
from npu_migrate.index.keys import ANY
from npu_migrate.index.names import lookup
from npu_migrate.project.once import once, once_in_cycles
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.calls.function_values import functions_of
from npu_migrate.semantics.calls.parameters import argument_for
from npu_migrate.semantics.contexts import Traced, ends, instances, traced
from npu_migrate.semantics.filled_fields import stored_fields
from npu_migrate.semantics.flow import call_targets, externals_called, is_partial, named_definitions
from npu_migrate.semantics.inheritance import family, methods_named
from npu_migrate.semantics.objects import identities
from npu_migrate.semantics.resolution import Definition, scope_of

_MOST_FILES = 40
"""Of programs that share files with more than so many others nothing is looked up: it would cost seconds."""

_BOUND = ("assign", "for", "comprehension", "with")
"""How a name gets a value that has to be followed."""


def looked_up_calls(project: Project, target: Definition) -> Iterator[Ref]:
    """The calls that may run the function `target` because an object, a dictionary or a name holds it."""
    near = project.neighbours(target.key)
    if len(near) <= _MOST_FILES and _may_be_held(project, target):
        for key in sorted(near):
            for found, call in _looked_up(project, key):
                if found == target:
                    yield call


def passed_by_tables(project: Project, value: Ref) -> tuple[Ref, ...]:
    """What such calls give for a parameter, if `value` is one: ``ACTIONS[name](model)``."""
    facts = project.facts(value.key)
    if facts is None or not isinstance(value.expr, Name):
        return ()
    found = lookup(facts, value.scope, value.expr.id)
    if found is None or any(binding.kind != "param" for binding in found.bindings):
        return ()
    target = Definition(value.key, found.scope)
    calls = looked_up_calls(project, target)
    given = (argument_for(project, call, target, value.expr.id) for call in calls)
    return tuple(one for one in given if one is not None)


def _may_be_held(project: Project, target: Definition) -> bool:
    """Whether anything but a call mentions the function, or its class: to look at all calls costs much."""
    scope = scope_of(project, target)
    facts = project.facts(target.key)
    assert facts is not None
    owner = facts.scopes[scope.parent] if scope.parent != NOTHING else None
    if owner is None or owner.kind != "class":
        return bool(scope.decorators) or _is_mentioned(project, target.key, scope.name)
    if scope.name == "__call__":
        return True
    if scope.name == "__init__":
        return _is_mentioned(project, target.key, owner.name)
    near = project.neighbours(target.key)
    by_name = {*project.files_mentioning("getattr")} & {*project.files_mentioning(owner.name)} & {*near}
    return bool(by_name) or _is_mentioned(project, target.key, scope.name)


@once
def _is_mentioned(project: Project, home: str, name: str) -> bool:
    near = project.neighbours(home)
    return any(
        not site.stored and not (isinstance(site.parent, Call) and site.parent.func is site.expr)
        for key in project.files_mentioning(name)
        if key in near
        for site in (*project.names(key, name), *project.attributes(key, name))
    )


@once_in_cycles(())
def _looked_up(project: Project, key: str) -> tuple[tuple[Definition, Ref], ...]:
    """The functions that the calls of a file run in this way, with the calls."""
    facts = project.facts(key)
    found: dict[tuple[Definition, int], Ref] = {}
    for site in facts.calls if facts is not None else ():
        ref = ref_of_call(key, site)
        if _has_to_be_followed(project, ref) and not call_targets(project, ref):
            for target in held_functions(project, traced(ref._replace(expr=site.call.func))):
                found[target, id(site.call)] = ref
    return tuple((target, ref) for (target, _), ref in found.items())


def _has_to_be_followed(project: Project, ref: Ref) -> bool:
    assert isinstance(ref.expr, Call)
    func = ref.expr.func
    if isinstance(func, Name):
        facts = project.facts(ref.key)
        assert facts is not None
        found = lookup(facts, ref.scope, func.id)
        return found is not None and any(binding.kind in _BOUND for binding in found.bindings)
    if isinstance(func, Attribute):
        return _is_stored(project, ref.key, func.attr) and not externals_called(project, ref)
    return isinstance(func, (Subscript, Call))


@once
def _is_stored(project: Project, key: str, attr: str) -> bool:
    """Whether code around a file stores to an attribute of that name: most attributes that are called are
    methods, of which nobody has to ask what they hold."""
    near = project.neighbours(key)
    return any(
        attr in stored_fields(project, facts)
        for home in project.files_mentioning(attr)
        if home in near and (facts := project.facts(home)) is not None
    )


def held_functions(project: Project, value: Traced) -> tuple[Definition, ...]:
    """The functions of the project that a value may be, out of dictionaries too."""
    return tuple(dict.fromkeys(_held(project, value, 0)))


def _held(
    project: Project, value: Traced, depth: int, registered: _Registered | None = None
) -> Iterator[Definition]:
    if depth > 3:
        return
    for function in functions_of(project, value):
        yield function.target
    for end in ends(project, value):
        expr = end.ref.expr
        if end.keys:
            for index, stored in _stored_in(project, end._replace(keys=()), end.keys[0]):
                under = _registered(project, index, end.keys[0])
                yield from _held(project, traced(stored)._replace(keys=end.keys[1:]), depth + 1, under)
            for kept in _keywords_of_dict(expr, end.keys[0]):
                yield from _held(project, end.at(kept)._replace(keys=end.keys[1:]), depth + 1)
        elif isinstance(expr, Call) and expr.args and is_partial(project, end.ref):
            yield from _held(project, end.at(expr.args[0]), depth + 1)
        elif isinstance(expr, Call) and isinstance(expr.func, Attribute) and expr.func.attr == "get":
            asked = expr.args[0] if expr.args else None
            key = asked.value if isinstance(asked, Constant) else "*"
            yield from _held(project, end.at(expr.func.value)._replace(keys=(key,)), depth + 1)
        elif isinstance(expr, Call) and isinstance(expr.func, Name) and expr.func.id == "getattr":
            yield from _members(project, end, expr)
        elif isinstance(expr, (Name, Attribute)):
            for found in named_definitions(project, end.ref._replace(path=())):
                if scope_of(project, found).kind == "class":
                    yield from methods_named(project, found, "__init__")
            if isinstance(expr, Name):
                for target in _decorated_with(project, end.ref, expr):
                    if registered is None or _is_registered(project, target, registered):
                        yield target


class _Registered(NamedTuple):
    """A key under which a decorator keeps what it decorates: the parameter of its function that says it."""

    name: str
    position: int
    key: object


def _registered(project: Project, item: Ref, key: object) -> _Registered | None:
    """For ``TABLE[name] = function``, where `name` is a parameter: what it has to be for `key`."""
    facts = project.facts(item.key)
    assert facts is not None
    found = lookup(facts, item.scope, item.expr.id) if isinstance(item.expr, Name) else None
    if found is None or not isinstance(item.expr, Name) or key == ANY:
        return None
    plain = [one.name for one in facts.scopes[found.scope].parameters if one.kind == "positional"]
    is_given = [one.kind for one in found.bindings] == ["param"] and item.expr.id in plain
    return _Registered(item.expr.id, plain.index(item.expr.id), key) if is_given else None


def _is_registered(project: Project, target: Definition, registered: _Registered) -> bool:
    """Whether a decorator above a function says the key, or may say it."""
    said = [
        argument(one, registered.name, registered.position) if isinstance(one, Call) else None
        for one in scope_of(project, target).decorators
    ]
    return not any(isinstance(one, Constant) for one in said) or any(
        isinstance(one, Constant) and one.value == registered.key for one in said
    )


def _keywords_of_dict(made: Expr, key: object) -> Iterator[Expr]:
    """What ``dict(one=a, other=b)`` holds under the key, or may hold under one that is not known."""
    if isinstance(made, Call) and isinstance(made.func, Name) and made.func.id == "dict":
        yield from (keyword.value for keyword in made.keywords if key in (ANY, keyword.name))


def _members(project: Project, end: Traced, call: Call) -> Iterator[Definition]:
    """What ``getattr(object, name)`` may be: with a name that is put together, any method of the object."""
    if len(call.args) < 2:
        return
    name = call.args[1].value if isinstance(call.args[1], Constant) else None
    for _, owner in instances(project, end.at(call.args[0])):
        for member in family(project, owner):
            facts = project.facts(member.key)
            assert facts is not None
            for scope in facts.scopes:
                if scope.parent == member.scope and scope.kind == "function" and name in (None, scope.name):
                    yield Definition(member.key, scope.id)


def _stored_in(project: Project, holder: Traced, key: object) -> Iterator[tuple[Ref, Ref]]:
    """The values that ``holder[key] = …`` stores, and those that may be stored under the key, with theirs."""
    expr = holder.ref.expr
    if not isinstance(expr, (Mapping, Call)):
        return
    meant = identities(project, holder.ref)
    for home in sorted(project.neighbours(holder.ref.key)):
        for item, value in _item_stores(project, home):
            exact = isinstance(item.item, Constant) and key != "*"
            if exact and isinstance(item.item, Constant) and item.item.value != key:
                continue
            if meant & identities(project, value._replace(expr=item.value)):
                yield value._replace(expr=item.item), value


@once
def _item_stores(project: Project, key: str) -> tuple[tuple[Subscript, Ref], ...]:
    facts = project.facts(key)
    return tuple(
        (target, Ref(key, statement.scope, statement.id, statement.values[0]))
        for statement in (facts.statements if facts is not None else ())
        for target in statement.targets
        if isinstance(target, Subscript) and statement.kind == "Assign"
    )


# -- decorators ----------------------------------------------------------------------------------------


def _decorated_with(project: Project, ref: Ref, name: Name) -> Iterator[Definition]:
    """If a name is the parameter of a decorator: the functions that it decorates."""
    facts = project.facts(ref.key)
    assert facts is not None
    found = lookup(facts, ref.scope, name.id)
    if found is None or not any(binding.kind == "param" for binding in found.bindings):
        return
    yield from decorated_by(project, Definition(ref.key, found.scope))


def decorated_by(project: Project, decorator: Definition) -> Iterator[Definition]:
    """The functions that a function of the project decorates, in the files of its programs."""
    for home in sorted(project.neighbours(decorator.key)):
        for decorated, decorators in _decorated(project, home):
            if decorator in decorators:
                yield decorated


@once_in_cycles(())
def _decorated(project: Project, key: str) -> tuple[tuple[Definition, frozenset[Definition]], ...]:
    """The decorated functions of a file, with the functions of the project that decorate them."""
    facts = project.facts(key)
    found = []
    for scope in facts.scopes if facts is not None else ():
        if scope.kind == "function" and scope.decorators and scope.statement != NOTHING:
            assert facts is not None
            outer = facts.statements[scope.statement].scope
            places = [Ref(key, outer, scope.statement, one) for one in scope.decorators]
            found.append((Definition(key, scope.id), _functions(project, places)))
    return tuple(found)


def _functions(project: Project, places: list[Ref]) -> frozenset[Definition]:
    return frozenset(one.target for place in places for one in functions_of(project, traced(place)))
