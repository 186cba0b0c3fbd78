"""The expressions that an op, or a list of ops, is made of, through lists, groups and loops.

`leaves` walks down to them, `items` tells what a list holds one by one. What a single part does is asked in
`op_parts`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from npu_migrate.index.facts import (
    NOTHING,
    Attribute,
    Binding,
    Call,
    Collection,
    Comprehension,
    Constant,
    Expr,
    FileFacts,
    Lambda,
    Mapping,
    Name,
    Operation,
    Subscript,
    argument,
    is_starred,
    last_name,
)
from npu_migrate.index.names import ancestors, lookup
from npu_migrate.knowledge import npu
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.once import once, once_at_in_cycles
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.calls.parameters import is_bound_method
from npu_migrate.semantics.calls.returns import returned_values
from npu_migrate.semantics.contexts import ends, traced
from npu_migrate.semantics.flow import (
    call_sites,
    call_targets,
    externals_called,
    named_definitions,
    origins,
)
from npu_migrate.semantics.resolution import Definition, external_names, scope_of
from npu_migrate.semantics.uses import Use, uses
from npu_migrate.training.pipelines.partition.choices import NO_CHOICES, Choices, branches, is_repeated

_LISTS = ("list", "tuple", "set", "sorted", "reversed")
_PROPERTIES = ("property", "cached_property", "lazy_property")
_REPEATING = {npu.SET_ITERATIONS: 1, npu.CREATE_ITERATIONS: 0}
"""What makes the device repeat an op, and the position of that op."""
_REPEATING_NAMES = frozenset(name.rpartition(".")[2] for name in _REPEATING)
_NAMED = tf.GROUPS | tf.VARIABLE_INITIALIZERS
"""What makes an op that is run by its name, and has others behind it."""
_TAKING = ("pop", "popitem", "clear")
_MOST_PARTS = 500
_LOOPS = ("for", "comprehension")

Chosen = tuple[Ref, Choices]
"""What an expression may stand for, and the choices that lead to it."""


class Leaf(NamedTuple):
    """One part of an op: what `op_parts.Part` says of it, but for what it does.

    A function that is called without being named, as `f` in ``[f() for f in starters]``, stands for its call.
    """

    ref: Ref
    item: Ref | None
    container: Ref | None
    choices: Choices = NO_CHOICES


class _Step(NamedTuple):
    """`fixed` tells that the code is run several times for one op, and may take each way once.

    It is what lies around all these runs: what was chosen there stays.
    """

    ref: Ref
    item: Ref | None
    container: Ref | None
    choices: Choices = NO_CHOICES
    fixed: frozenset[int] | None = None


def leaves(project: Project, origin: Ref) -> Iterator[Leaf]:
    """The parts of the op that is made at `origin`, through lists, groups, sums and control inputs."""
    seen: set[tuple[int, tuple[int, ...], Choices]] = set()
    stack = [_Step(origin, None, None)]
    while stack:
        step = stack.pop()
        for ref, taken in _origins(project, step.ref):
            if step.fixed is not None:
                taken = frozenset(one for one in taken if one[0] in step.fixed)
            choices = step.choices | taken
            mark = (id(ref.expr), ref.path, choices)
            if len(seen) > _MOST_PARTS:
                return
            if mark in seen:
                continue
            seen.add(mark)
            inner = list(_inner(project, ref, step))
            more = [*(_control_inputs(project, ref) if isinstance(ref.expr, Call) else ()), *reversed(inner)]
            stack.extend(
                one._replace(
                    choices=one.choices | choices, fixed=one.fixed if step.fixed is None else step.fixed
                )
                for one in more
            )
            if not inner and not _is_composed(project, ref):
                yield Leaf(ref, step.item, step.container, choices)


# -- what an expression stands for ---------------------------------------------------------------------


def _origins(project: Project, ref: Ref) -> Iterator[Chosen]:
    """The origins of an op, also behind a property, an item of a dictionary, and ``*ops`` of a function.

    A variable that is added to (``ops += [x]``) has the origins of all its bindings. With each origin go the
    choices that lead to it.
    """
    waiting, seen = _alternatives(project, ref, NO_CHOICES), set()
    while waiting:
        origin, choices = waiting.pop(0)
        further = [] if id(origin.expr) in seen else _behind(project, origin)
        seen.add(id(origin.expr))
        for one, taken in further:
            waiting.extend(_alternatives(project, one, choices | taken))
        if not further:
            yield origin, choices


def _alternatives(project: Project, ref: Ref, choices: Choices) -> list[Chosen]:
    found = origins(project, ref)
    if len(found) == 1:
        return [(found[0], choices)]
    return [(one, choices | {(id(ref.expr), number)}) for number, one in enumerate(found)]


def _behind(project: Project, ref: Ref) -> list[Chosen]:
    """What an origin stands for that `origins` does not look behind; nothing where it is what it is."""
    expr = ref.expr
    if ref.path:
        return []
    if isinstance(expr, Name):
        return _bound(project, ref) or _given(project, ref, expr.id) or _looped(project, ref, expr.id)
    if isinstance(expr, Constant) and isinstance(expr.value, str):
        return _plain(_named(project, ref, expr.value))
    if isinstance(expr, Attribute):
        return _plain(_properties(project, ref)) or _kept_on(project, ref)
    if isinstance(expr, Subscript):
        return list(_at_key(project, ref, expr))
    if isinstance(expr, Call):
        return list(_called(project, ref))
    return []


def _plain(found: list[Ref]) -> list[Chosen]:
    return [(one, NO_CHOICES) for one in found]


def _properties(project: Project, ref: Ref) -> list[Ref]:
    return [
        value
        for target in named_definitions(project, ref)
        if any(last_name(one) in _PROPERTIES for one in scope_of(project, target).decorators)
        for value in returned_values(project, target)
    ]


def _kept_on(project: Project, ref: Ref) -> list[Chosen]:
    """What an attribute of the objects of a list is, read one after the other."""
    assert isinstance(ref.expr, Attribute)
    if not isinstance(ref.expr.value, Name):
        return []
    facts = project.facts(ref.key)
    known = lookup(facts, ref.scope, ref.expr.value.id) if facts is not None else None
    if facts is None or known is None or not all(one.kind in _LOOPS for one in known.bindings):
        return []
    found = [one.ref for one in ends(project, traced(ref)) if one.ref.expr is not ref.expr and not one.keys]
    point = _point(facts, known.scope, _binding_around(facts, ref, known.bindings) or known.bindings[0])
    return [(one, frozenset({(point, number)})) for number, one in enumerate(found)]


def _named(project: Project, ref: Ref, name: str) -> list[Ref]:
    """The group or initializer of the programs with the code at `ref` that alone is made under a name."""
    near = project.neighbours(ref.key)
    found = [one for one in _named_calls(project).get(name, ()) if one.key in near]
    return found if len(found) == 1 else []


@once
def _named_calls(project: Project) -> dict[str, list[Ref]]:
    """The calls that make a group or an initializer with a ``name=`` in sight, by this name."""
    found: dict[str, list[Ref]] = {}
    for word in sorted({one.rpartition(".")[2] for one in _NAMED}):
        for key, site in project.calls_named(word):
            name = argument(site.call, "name", None)
            ref = ref_of_call(key, site)
            if (
                isinstance(name, Constant)
                and isinstance(name.value, str)
                and (externals_called(project, ref) & _NAMED)
            ):
                found.setdefault(name.value, []).append(ref)
    return found


def _at_key(project: Project, ref: Ref, expr: Subscript) -> Iterator[Chosen]:
    """What a display holds under a key, or under each that a variable may be."""
    if expr.item is None:
        return
    keys = _of_name(project, ref._replace(expr=expr.item, path=()))
    known = [(key.expr.value, taken) for key, taken in keys if isinstance(key.expr, Constant)]
    for made in origins(project, ref._replace(expr=expr.value)) if known else ():
        for key, taken in known:
            yield from ((value, taken) for value in _under(made, key))


def _of_name(project: Project, ref: Ref) -> list[Chosen]:
    """What a name stands for whose loop, if it has one, comes by all items; another expression for itself."""
    if not isinstance(ref.expr, Name):
        return [(ref, NO_CHOICES)]
    facts = project.facts(ref.key)
    known = lookup(facts, ref.scope, ref.expr.id) if facts is not None else None
    if known is not None and any(one.kind in _LOOPS for one in known.bindings):
        return _looped(project, ref, ref.expr.id)
    return _alternatives(project, ref, NO_CHOICES)


def _under(made: Ref, key: object) -> Iterator[Ref]:
    """The values that a display holds under a key; a comprehension makes all of them in one way."""
    expr = made.expr
    if isinstance(expr, Mapping):
        for index, value in zip(expr.keys, expr.values, strict=True):
            if isinstance(index, Constant) and index.value == key:
                yield made._replace(expr=value, path=())
    elif isinstance(expr, Comprehension) and expr.kind == "DictComp":
        yield made._replace(expr=expr.elements[1], scope=expr.scope, path=())
    elif isinstance(expr, Collection) and isinstance(key, int) and -1 < key < len(expr.items):
        yield made._replace(expr=expr.items[key], path=())


@once_at_in_cycles(())  # what calls itself as such an item
def _called(project: Project, ref: Ref) -> tuple[Chosen, ...]:
    """What the functions return that are called as items of a list or dictionary."""
    return tuple(_call_of_item(project, ref))


def _call_of_item(project: Project, ref: Ref) -> Iterator[Chosen]:
    call = ref.expr
    assert isinstance(call, Call)
    if not isinstance(call.func, (Name, Subscript)) or call.args or call.keywords:
        return
    if externals_called(project, ref) or call_targets(project, ref):
        return
    functions = [
        (made, taken | more)
        for one, taken in _of_name(project, ref._replace(expr=call.func, path=()))
        for made, more in _origins(project, one)
    ]
    for made, taken in functions:
        if isinstance(made.expr, Lambda):
            body = Ref(made.key, made.expr.scope, made.statement, made.expr.body)
            yield body, taken
        elif isinstance(made.expr, (Name, Attribute)) and made.expr is not call.func:
            targets = [
                one for one in named_definitions(project, made) if scope_of(project, one).kind == "function"
            ]
            for target in targets:
                yield from ((value, taken) for value in returned_values(project, target))
            if not targets and external_names(project, made.key, made.scope, made.expr):
                yield made, taken


def _given(project: Project, ref: Ref, name: str) -> list[Chosen]:
    """What the callers of a function give for its ``*name``, each by the choice of that call."""
    facts = project.facts(ref.key)
    assert facts is not None
    known = lookup(facts, ref.scope, name)
    function = facts.scopes[known.scope] if known is not None else None
    if function is None or not any(one.name == name and one.kind == "varargs" for one in function.parameters):
        return []
    if known is not None and any(one.kind != "param" for one in known.bindings):
        return []
    target = Definition(ref.key, function.id)
    plain = sum(one.kind == "positional" for one in function.parameters) - is_bound_method(project, target)
    return [
        (site._replace(expr=given), frozenset({(id(function), id(site.expr))}))
        for site in call_sites(project, target)
        if isinstance(site.expr, Call)
        for given in site.expr.args[plain:]
    ]


def _bound(project: Project, ref: Ref) -> list[Chosen]:
    facts = project.facts(ref.key)
    assert facts is not None
    assert isinstance(ref.expr, Name)
    known = lookup(facts, ref.scope, ref.expr.id)
    bindings = known.bindings if known is not None else ()
    if not any(one.kind == "augment" for one in bindings):
        return []
    if any(one.kind not in ("assign", "augment") or one.value is None or one.path for one in bindings):
        return []
    found = [
        Ref(ref.key, facts.statements[one.statement].scope, one.statement, one.value)
        for one in bindings
        if one.value is not None
    ]
    return [(one, branches(project, one, ref)) for one in found]


# -- loops ---------------------------------------------------------------------------------------------


def _looped(project: Project, ref: Ref, name: str) -> list[Chosen]:
    """What the variable of a loop is, one after the other; nothing where the loop may leave something out."""
    facts = project.facts(ref.key)
    assert facts is not None
    known = lookup(facts, ref.scope, name)
    if known is None or not all(one.kind in _LOOPS and not one.path for one in known.bindings):
        return []
    binding = _binding_around(facts, ref, known.bindings)
    iterated = None if binding is None else _iterated(project, facts, known.scope, binding)
    if binding is None or iterated is None or _leaves_out(project, facts, ref, known.scope, binding):
        return []
    point = _point(facts, known.scope, binding)
    return [(one, taken | {(point, number)}) for number, (one, taken) in enumerate(items(project, iterated))]


def looped_items(project: Project, ref: Ref) -> tuple[Ref, ...]:
    """What the variable of a loop may be; nothing where `ref` is none, or more is not seen."""
    facts = project.facts(ref.key)
    assert facts is not None
    known = lookup(facts, ref.scope, ref.expr.id) if isinstance(ref.expr, Name) else None
    found: list[Ref] = []
    for binding in known.bindings if known is not None else ():
        if binding.kind not in _LOOPS or binding.path:
            return ()
        iterated = _iterated(project, facts, known.scope, binding) if known is not None else None
        found.extend(() if iterated is None else (one for one, _ in items(project, iterated)))
    return tuple(found)


def _binding_around(facts: FileFacts, ref: Ref, bindings: Sequence[Binding]) -> Binding | None:
    """The loop that the code at `ref` lies in, of those that bind a variable: the innermost one."""
    if bindings[0].kind == "comprehension":
        return bindings[0]
    around = list(ancestors(facts, ref.statement))
    inside = [one for one in bindings if one.statement in around]
    return min(inside, key=lambda one: around.index(one.statement), default=None)


def _point(facts: FileFacts, scope: int, binding: Binding) -> int:
    """What tells the choice of an item of one loop from others."""
    return id(facts.statements[binding.statement] if binding.kind == "for" else facts.scopes[scope])


def _iterated(project: Project, facts: FileFacts, scope: int, binding: Binding) -> Ref | None:
    """What the loop that binds a variable goes through."""
    if binding.value is None or binding.statement == NOTHING:
        return None
    if binding.kind == "for":
        return Ref(facts.key, facts.statements[binding.statement].scope, binding.statement, binding.value)
    ref = Ref(facts.key, scope, binding.statement, binding.value)
    loop = _comprehension(project, ref)
    is_first = loop is not None and loop.sources[:1] == (binding.value,)
    return ref._replace(scope=facts.scopes[scope].parent) if is_first else ref


def _comprehension(project: Project, source: Ref) -> Comprehension | None:
    """The comprehension that goes through `source`."""
    around = project.parent_ref(source)
    return around.expr if around is not None and isinstance(around.expr, Comprehension) else None


def _leaves_out(project: Project, facts: FileFacts, ref: Ref, scope: int, binding: Binding) -> bool:
    """Whether the code at `ref`, in a loop, may not run for each of its items."""
    if binding.kind == "comprehension":
        assert binding.value is not None
        loop = _comprehension(project, Ref(facts.key, scope, binding.statement, binding.value))
        return loop is None or bool(loop.conditions)
    inside = list(ancestors(facts, ref.statement))
    between = inside[: inside.index(binding.statement)]
    return any(facts.statements[one].kind not in ("With", "For") for one in between) or any(
        one.kind in ("Continue", "Break") and binding.statement in ancestors(facts, one.id)
        for one in facts.statements
    )


@once_at_in_cycles(())  # what a list gets that is made of itself
def items(project: Project, ref: Ref) -> tuple[Chosen, ...]:
    """What a list or another thing that is looped over holds, one by one, as far as that is seen."""
    found: list[Chosen] = []
    stack, seen = [(ref, NO_CHOICES)], set()
    while stack and len(found) < _MOST_PARTS:
        current, choices = stack.pop()
        for origin, taken in _alternatives(project, current, choices):
            if id(origin.expr) in seen or origin.path:
                continue
            seen.add(id(origin.expr))
            for one, whole, more in _held(project, origin):
                (stack if whole else found).append((one, taken | more))
    return tuple(found)


def _held(project: Project, ref: Ref) -> Iterator[tuple[Ref, bool, Choices]]:
    """What is in a list, and whether each is a list of items itself."""
    expr = ref.expr
    if isinstance(expr, Name):
        given = _given(project, ref, expr.id)
        behind = [] if given else _bound(project, ref)
        yield from (_spread(one, taken) for one, taken in given)
        yield from ((one, True, taken) for one, taken in behind)
    elif isinstance(expr, (Attribute, Subscript)):
        yield from ((one, True, taken) for one, taken in _behind(project, ref))
    elif isinstance(expr, Operation) and expr.operator == "Add":
        yield from ((ref._replace(expr=one), True, NO_CHOICES) for one in expr.operands)
    elif isinstance(expr, Call):
        yield from _listed(project, ref, expr)
    else:
        yield from (_spread(ref._replace(expr=one, scope=scope), NO_CHOICES) for one, scope in _shown(ref))
        for added in _additions(project, ref):
            whole = added.method == "extend"
            yield added.ref, whole, added.choices


def _spread(ref: Ref, taken: Choices) -> tuple[Ref, bool, Choices]:
    if is_starred(ref.expr):
        return ref._replace(expr=ref.expr.parts[0]), True, taken
    return ref, False, taken


def _shown(ref: Ref) -> Iterator[tuple[Expr, int]]:
    """The items that a display has, each with its scope; of a dictionary its keys."""
    expr = ref.expr
    if isinstance(expr, Collection):
        yield from ((one, ref.scope) for one in expr.items)
    elif isinstance(expr, Mapping):
        yield from ((one, ref.scope) for one in expr.keys if one is not None)
    elif isinstance(expr, Comprehension):
        yield expr.elements[0], expr.scope


def _listed(project: Project, ref: Ref, call: Call) -> Iterator[tuple[Ref, bool, Choices]]:
    """What is in ``list(x)``, and in ``x.values()`` of a display."""
    if isinstance(call.func, Name) and call.func.id in _LISTS and call.args:
        yield ref._replace(expr=call.args[0]), True, NO_CHOICES
    whole = _valued(ref, call)
    for made in () if whole is None else origins(project, whole):
        if isinstance(made.expr, Mapping):
            yield from ((made._replace(expr=one, path=()), False, NO_CHOICES) for one in made.expr.values)
        elif isinstance(made.expr, Comprehension) and made.expr.kind == "DictComp":
            one = made._replace(expr=made.expr.elements[1], scope=made.expr.scope, path=())
            yield one, False, NO_CHOICES


def _valued(ref: Ref, call: Call) -> Ref | None:
    """`x` of ``x.values()``."""
    if isinstance(call.func, Attribute) and call.func.attr == "values" and not call.args:
        return ref._replace(expr=call.func.value, path=())
    return None


def _is_composed(project: Project, ref: Ref) -> bool:
    expr = ref.expr
    return isinstance(expr, (Collection, Mapping, Comprehension)) or bool(
        externals_called(project, ref) & (tf.GROUPS | {"tensorflow.no_op"})
    )


def _inner(project: Project, ref: Ref, step: _Step) -> Iterator[_Step]:
    """What a list, a group, a sum of lists or the like is made of."""
    expr = ref.expr
    if isinstance(expr, Collection):
        yield from (_item(ref, item) for item in expr.items)
        yield from _added(project, ref)
    elif isinstance(expr, Mapping):
        yield from (_Step(ref._replace(expr=value, path=()), None, None) for value in expr.values)
        yield from _added(project, ref)
    elif isinstance(expr, Comprehension):
        for element in expr.elements:
            element_ref = ref._replace(expr=element, scope=expr.scope, path=())
            yield _Step(element_ref, step.item, step.container, fixed=_fixed(project, ref))
        yield from _added(project, ref)
    elif isinstance(expr, Operation) and expr.operator == "Add":
        yield from (_Step(ref._replace(expr=one, path=()), None, None) for one in expr.operands)
    elif isinstance(expr, Call) and externals_called(project, ref) & tf.GROUPS:
        yield from (_item(ref, item) for item in expr.args)
    elif isinstance(expr, Call) and (repeated := _repeated(project, ref, expr)) is not None:
        yield _Step(ref._replace(expr=repeated, path=()), None, None)
    elif isinstance(expr, Call) and isinstance(expr.func, Name) and expr.func.id in _LISTS and expr.args:
        yield _Step(ref._replace(expr=expr.args[0], path=()), step.item, step.container)
    elif isinstance(expr, Call) and (whole := _valued(ref, expr)) is not None:
        yield _Step(whole, step.item, step.container)
    elif is_starred(expr):
        yield _Step(ref._replace(expr=expr.parts[0], path=()), step.item, step.container)


def _repeated(project: Project, ref: Ref, call: Call) -> Expr | None:
    """The op that a call has the device repeat: running what it returns runs that op."""
    if last_name(call.func) not in _REPEATING_NAMES:
        return None
    positions = [_REPEATING[name] for name in externals_called(project, ref) if name in _REPEATING]
    return argument(call, "train_op", positions[0]) if positions else None


def _item(container: Ref, item: Expr) -> _Step:
    ref = container._replace(expr=item, path=())
    return _Step(ref, ref, container._replace(path=()))


def _added(project: Project, made: Ref) -> Iterator[_Step]:
    """What ``.append``, ``.extend`` and ``.insert`` put into the list, ``[key] = …`` into the dictionary."""
    for added in _additions(project, made):
        fixed = _fixed(project, made) if is_repeated(project, added.call, made) else None
        yield _Step(added.ref, None, None, added.choices, fixed)


class _Addition(NamedTuple):
    """What the method `method` of a list is given in `call`; of a dictionary what an item is set to there."""

    ref: Ref
    call: Ref
    method: str
    choices: Choices


def _additions(project: Project, made: Ref) -> Iterator[_Addition]:
    if isinstance(made.expr, Mapping):
        yield from _items_set(project, made)
    if not isinstance(made.expr, (Collection, Comprehension)) or made.expr.kind not in ("List", "ListComp"):
        return
    for use in uses(project, made):
        if use.kind == "attribute" and use.name in ("append", "extend", "insert"):
            call = project.parent_ref(use.ref)
            if call is not None and isinstance(call.expr, Call) and call.expr.func is use.ref.expr:
                taken = branches(project, call, made)
                for given in call.expr.args[-1:]:
                    yield _Addition(call._replace(expr=given, path=()), call, use.name, taken)


def _items_set(project: Project, made: Ref) -> Iterator[_Addition]:
    """What is set under keys that the display does not have; of two under one key it may be either.

    Nothing of a dictionary from which something is taken out: what is left cannot be told.
    """
    assert isinstance(made.expr, Mapping)
    shown = {_key(one) for one in made.expr.keys}
    points: dict[object, int] = {}
    found = uses(project, made)
    for number, use in enumerate(() if any(_takes_out(project, one) for one in found) else found):
        site = project.site(use.ref) if use.kind == "contained" else None
        item = use.ref.expr
        if site is None or not site.stored or not isinstance(item, Subscript):
            continue
        facts = project.facts(use.ref.key)
        assert facts is not None
        statement = facts.statements[use.ref.statement]
        key = _key(item.item)
        if statement.kind != "Assign" or statement.targets != (item,) or (key is not None and key in shown):
            continue
        value = use.ref._replace(expr=statement.values[0], path=())
        point = points.setdefault(key, id(statement)) if key is not None else id(statement)
        yield _Addition(value, use.ref, "", branches(project, use.ref, made) | {(point, number)})


def _takes_out(project: Project, use: Use) -> bool:
    """Whether a use of a dictionary is ``del d[key]`` or ``d.pop(key)``."""
    facts = project.facts(use.ref.key)
    assert facts is not None
    statement = facts.statements[use.ref.statement]
    return statement.kind == "Delete" or (use.kind == "attribute" and use.name in _TAKING)


def _key(expr: Expr | None) -> object:
    return expr.value if isinstance(expr, Constant) else None


def _fixed(project: Project, ref: Ref) -> frozenset[int]:
    """What is around code that is run several times: functions, loops and branches."""
    facts = project.facts(ref.key)
    assert facts is not None
    found = {id(facts.statements[number]) for number in ancestors(facts, ref.statement)}
    scope = ref.scope
    while scope != NOTHING:
        found.add(id(facts.scopes[scope]))
        scope = facts.scopes[scope].parent
    return frozenset(found)


def _control_inputs(project: Project, ref: Ref) -> Iterator[_Step]:
    """What has to run before the op that the call at `ref` makes: ``with tf.control_dependencies([…]):``."""
    facts = project.facts(ref.key)
    assert facts is not None
    for number in ancestors(facts, ref.statement):
        outer = facts.statements[number]
        if outer.scope != facts.statements[ref.statement].scope:
            break
        for value in outer.values if outer.kind == "With" else ():
            if not isinstance(value, Call):
                continue
            given = argument(value, "control_inputs", 0)
            manager = Ref(ref.key, outer.scope, outer.id, value)
            if given is not None and _is_control_dependencies(project, manager):
                yield _Step(manager._replace(expr=given), None, None)


def _is_control_dependencies(project: Project, ref: Ref) -> bool:
    assert isinstance(ref.expr, Call)
    func = ref.expr.func
    return tf.CONTROL_DEPENDENCIES in externals_called(project, ref) or (
        isinstance(func, Attribute) and func.attr == tf.CONTROL_DEPENDENCIES_METHOD
    )
