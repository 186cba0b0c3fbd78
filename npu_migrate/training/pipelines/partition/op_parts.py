"""What an op, or a list of ops, holds: its parts, and the list or group that each of them stands in."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import (
    Attribute,
    Call,
    Collection,
    Comprehension,
    Constant,
    Expr,
    Mapping,
    Name,
    Operation,
    Other,
    Subscript,
    argument,
    last_name,
)
from npu_migrate.index.names import ancestors, lookup
from npu_migrate.knowledge import npu
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.once import once, once_at
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.contexts import ends, traced
from npu_migrate.semantics.flow import call_sites, externals_called, named_definitions, origins
from npu_migrate.semantics.parameters import is_bound_method
from npu_migrate.semantics.resolution import Definition, external_names, scope_of
from npu_migrate.semantics.returns import returned_values
from npu_migrate.semantics.uses import uses
from npu_migrate.training.pipelines.partition.choices import NO_CHOICES, Choices, branches, is_repeated
from npu_migrate.training.pipelines.partition.initial_zeros import Start, makes_variable, start_of, value_of

TABLES_COLLECTION = "tensorflow.GraphKeys.TABLE_INITIALIZERS"
TABLES_COLLECTION_NAME = "table_initializer"
_ITERATOR_MAKERS = (tf.ONE_SHOT_METHOD, tf.INITIALIZABLE_METHOD, "from_structure", "from_string_handle")
_INITIALIZER, _MAKE_INITIALIZER = "initializer", "make_initializer"
INITIALIZER_MAKERS = (*_ITERATOR_MAKERS, _MAKE_INITIALIZER)
"""The words one of which code needs to make the initializer of an iterator."""
INITIALIZER_ATTRIBUTES = (_INITIALIZER, _MAKE_INITIALIZER)
"""The attributes one of which code needs to run that initializer."""

_ASSIGNS = frozenset({"assign", "assign_add", "assign_sub"})
_ASSIGN_FUNCTIONS = frozenset(f"tensorflow.{name}" for name in _ASSIGNS)
_LISTS = ("list", "tuple", "set", "sorted", "reversed")
_PROPERTIES = ("property", "cached_property", "lazy_property")
_REPEATING = {npu.SET_ITERATIONS: 1, npu.CREATE_ITERATIONS: 0}
"""What makes the device repeat an op, and the position of that op."""
_REPEATING_NAMES = frozenset(name.rpartition(".")[2] for name in _REPEATING)
_NAMED = tf.GROUPS | tf.VARIABLE_INITIALIZERS
"""What makes an op that is run by its name, and has others behind it."""
_MOST_PARTS = 500


class Kind(enum.Enum):
    """What a part of an op does.

    `TABLES` runs what is registered in ``TABLE_INITIALIZERS``; `LOCALS` initializes the local variables;
    `ZEROS` gives a variable the value 0, which it has on the device anyway.
    """

    ITERATOR = enum.auto()
    TABLES = enum.auto()
    VARIABLES = enum.auto()
    LOCALS = enum.auto()
    ZEROS = enum.auto()
    NOTHING = enum.auto()
    OTHER = enum.auto()


class Part(NamedTuple):
    """One part of an op.

    `leaf` is the expression that makes it. `item` is the one that stands for it in `container`, a list or a
    call of ``tf.group``; both are None where it stands in neither, or where it cannot be taken out. `choices`
    are those that had to be made to get to it.
    """

    kind: Kind
    leaf: Ref
    item: Ref | None
    container: Ref | None
    choices: Choices = NO_CHOICES


class _Step(NamedTuple):
    """`repeated` tells that the code is run several times for one op, and may take each way once."""

    ref: Ref
    item: Ref | None
    container: Ref | None
    choices: Choices = NO_CHOICES
    repeated: bool = False


@once_at
def alternatives(project: Project, ref: Ref) -> tuple[tuple[Part, ...], ...]:
    """For each op that `ref` may mean: its parts, through lists, groups, sums and control inputs."""
    return tuple(tuple(_parts(project, origin)) for origin in origins(project, ref))


def _origins(project: Project, ref: Ref) -> Iterator[tuple[Ref, Choices]]:
    """The origins of an op, also behind a property, an item of a dictionary, and ``*ops`` of a function.

    A variable that is added to (``ops += [x]``) has the origins of all its bindings. With each origin go the
    choices that lead to it.
    """
    waiting, seen = _alternatives(project, ref, NO_CHOICES), set()
    while waiting:
        origin, choices = waiting.pop(0)
        further = [] if id(origin.expr) in seen else _behind(project, origin)
        seen.add(id(origin.expr))
        for one in further:
            taken = _taken(project, origin, one)
            waiting.extend(_alternatives(project, one, choices | taken))
        if not further:
            yield origin, choices


def _taken(project: Project, origin: Ref, one: Ref) -> Choices:
    """The choices by which `one` is what `origin` stands for: its branch, or the call that gives it."""
    if not isinstance(origin.expr, Name):
        return NO_CHOICES
    if _bound(project, origin):
        return branches(project, one, origin)
    facts = project.facts(origin.key)
    known = lookup(facts, origin.scope, origin.expr.id) if facts is not None else None
    if facts is None or known is None:
        return NO_CHOICES
    return frozenset({(id(facts.scopes[known.scope]), f"{one.key}:{one.statement}")})


def _alternatives(project: Project, ref: Ref, choices: Choices) -> list[tuple[Ref, Choices]]:
    found = origins(project, ref)
    if len(found) == 1:
        return [(found[0], choices)]
    return [(one, choices | {(id(ref.expr), number)}) for number, one in enumerate(found)]


def _behind(project: Project, ref: Ref) -> list[Ref]:
    """What an origin stands for that `origins` does not look behind; nothing where it is what it is."""
    expr = ref.expr
    if ref.path:
        return []
    if isinstance(expr, Name):
        return _bound(project, ref) or _given(project, ref, expr.id)
    if isinstance(expr, Constant) and isinstance(expr.value, str):
        return _named(project, ref, expr.value)
    if isinstance(expr, Attribute):
        return [
            value
            for target in named_definitions(project, ref)
            if any(last_name(one) in _PROPERTIES for one in scope_of(project, target).decorators)
            for value in returned_values(project, target)
        ] or _kept_on(project, ref)
    if isinstance(expr, Subscript) and isinstance(expr.item, Constant):
        made = origins(project, ref._replace(expr=expr.value))
        return [value for one in made for value in _under(one, expr.item.value)]
    return []


def _kept_on(project: Project, ref: Ref) -> list[Ref]:
    """What an attribute of the objects of a list is, read one after the other."""
    assert isinstance(ref.expr, Attribute)
    if not isinstance(ref.expr.value, Name):
        return []
    facts = project.facts(ref.key)
    known = lookup(facts, ref.scope, ref.expr.value.id) if facts is not None else None
    if known is None or not all(one.kind in ("for", "comprehension") for one in known.bindings):
        return []
    return [one.ref for one in ends(project, traced(ref)) if one.ref.expr is not ref.expr and not one.keys]


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
            ref = Ref(key, site.scope, site.statement, site.call)
            if (
                isinstance(name, Constant)
                and isinstance(name.value, str)
                and (externals_called(project, ref) & _NAMED)
            ):
                found.setdefault(name.value, []).append(ref)
    return found


def _under(made: Ref, key: object) -> Iterator[Ref]:
    """The values that a display holds under a key."""
    if isinstance(made.expr, Mapping):
        for index, value in zip(made.expr.keys, made.expr.values, strict=True):
            if isinstance(index, Constant) and index.value == key:
                yield made._replace(expr=value, path=())
    elif isinstance(made.expr, Collection) and isinstance(key, int) and -1 < key < len(made.expr.items):
        yield made._replace(expr=made.expr.items[key], path=())


def _given(project: Project, ref: Ref, name: str) -> list[Ref]:
    """What the callers of a function give for its ``*name``."""
    facts = project.facts(ref.key)
    assert facts is not None
    known = lookup(facts, ref.scope, name)
    function = facts.scopes[known.scope] if known is not None else None
    if function is None or not any(one.name == name and one.kind == "varargs" for one in function.parameters):
        return []
    target = Definition(ref.key, function.id)
    plain = sum(one.kind == "positional" for one in function.parameters) - is_bound_method(project, target)
    return [
        site._replace(expr=given)
        for site in call_sites(project, target)
        if isinstance(site.expr, Call)
        for given in site.expr.args[plain:]
    ]


def _bound(project: Project, ref: Ref) -> list[Ref]:
    facts = project.facts(ref.key)
    assert facts is not None
    assert isinstance(ref.expr, Name)
    known = lookup(facts, ref.scope, ref.expr.id)
    bindings = known.bindings if known is not None else ()
    if not any(one.kind == "augment" for one in bindings):
        return []
    if any(one.kind not in ("assign", "augment") or one.value is None or one.path for one in bindings):
        return []
    return [
        Ref(ref.key, facts.statements[one.statement].scope, one.statement, one.value)
        for one in bindings
        if one.value is not None
    ]


def _parts(project: Project, origin: Ref) -> Iterator[Part]:
    seen: set[tuple[int, tuple[int, ...], Choices]] = set()
    stack = [_Step(origin, None, None)]
    while stack:
        step = stack.pop()
        for ref, taken in _origins(project, step.ref):
            choices = step.choices if step.repeated else step.choices | taken
            mark = (id(ref.expr), ref.path, choices)
            if len(seen) > _MOST_PARTS:
                return
            if mark in seen:
                continue
            seen.add(mark)
            inner = list(_inner(project, ref, step))
            more = [*(_control_inputs(project, ref) if isinstance(ref.expr, Call) else ()), *reversed(inner)]
            stack.extend(
                one._replace(choices=one.choices | choices, repeated=one.repeated or step.repeated)
                for one in more
            )
            if not inner and not _is_composed(project, ref):
                yield Part(kind_of(project, ref), ref, step.item, step.container, choices)


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
    elif isinstance(expr, Comprehension):
        for element in expr.elements:
            element_ref = ref._replace(expr=element, scope=expr.scope, path=())
            yield _Step(element_ref, step.item, step.container, repeated=True)
        yield from _added(project, ref)
    elif isinstance(expr, Operation) and expr.operator == "Add":
        yield from (_Step(ref._replace(expr=one, path=()), None, None) for one in expr.operands)
    elif isinstance(expr, Call) and externals_called(project, ref) & tf.GROUPS:
        yield from (_item(ref, item) for item in expr.args)
    elif isinstance(expr, Call) and (repeated := _repeated(project, ref, expr)) is not None:
        yield _Step(ref._replace(expr=repeated, path=()), None, None)
    elif isinstance(expr, Call) and isinstance(expr.func, Name) and expr.func.id in _LISTS and expr.args:
        yield _Step(ref._replace(expr=expr.args[0], path=()), step.item, step.container)
    elif isinstance(expr, Other) and expr.kind == "Starred":
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
    """What ``.append``, ``.extend`` and ``.insert`` put into the list that is made at `made`."""
    if not isinstance(made.expr, (Collection, Comprehension)) or made.expr.kind not in ("List", "ListComp"):
        return
    for use in uses(project, made):
        if use.kind == "attribute" and use.name in ("append", "extend", "insert"):
            call = project.parent_ref(use.ref)
            if call is not None and isinstance(call.expr, Call) and call.expr.func is use.ref.expr:
                taken = branches(project, call, made)
                for given in call.expr.args[-1:]:
                    added = call._replace(expr=given, path=())
                    yield _Step(added, None, None, taken, is_repeated(project, call, made))


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


# -- single ops ----------------------------------------------------------------------------------------


def kind_of(project: Project, ref: Ref) -> Kind:
    """What the op at `ref`, an origin, does."""
    expr = ref.expr
    if isinstance(expr, Constant):
        return Kind.NOTHING if expr.value is None else Kind.OTHER
    if isinstance(expr, Attribute) and expr.attr == _INITIALIZER:
        return _kind_of_initializer(project, ref._replace(expr=expr.value, path=()))
    if not isinstance(expr, Call):
        return Kind.OTHER
    called = externals_called(project, ref)
    method = expr.func.attr if isinstance(expr.func, Attribute) else None
    if tf.TABLES_INITIALIZER in called or reads_tables(project, ref):
        return Kind.TABLES
    if method == _MAKE_INITIALIZER:
        return Kind.ITERATOR
    if "tensorflow.local_variables_initializer" in called:
        return Kind.LOCALS
    if "tensorflow.variables_initializer" in called:
        return _kind_of_some_variables(project, ref, expr)
    if called & tf.VARIABLE_INITIALIZERS:
        return Kind.VARIABLES
    if called & _ASSIGN_FUNCTIONS:
        return _kind_of_assignment(project, ref, argument(expr, "value", 1))
    if method in _ASSIGNS and not called:
        return _kind_of_assignment(project, ref, argument(expr, "value", 0) or argument(expr, "delta", 0))
    if method in _ASSIGNS and any(name.endswith(f"ariable.{method}") for name in called):
        return _kind_of_assignment(project, ref, argument(expr, "value", 0) or argument(expr, "delta", 0))
    return Kind.OTHER


def reads_tables(project: Project, ref: Ref) -> bool:
    """Whether `ref` is ``get_collection(TABLE_INITIALIZERS)``, of whatever graph."""
    call = ref.expr
    if not isinstance(call, Call) or not isinstance(call.func, (Attribute, Name)):
        return False
    name = call.func.attr if isinstance(call.func, Attribute) else call.func.id
    return name in ("get_collection", "get_collection_ref") and is_tables_collection(
        project, ref, argument(call, "name", 0) or argument(call, "key", 0)
    )


def is_tables_collection(project: Project, ref: Ref, name: Expr | None) -> bool:
    """Whether an argument of the call at `ref` names the collection ``TABLE_INITIALIZERS``."""
    if isinstance(name, Constant):
        return bool(name.value == TABLES_COLLECTION_NAME)
    return name is not None and TABLES_COLLECTION in external_names(project, ref.key, ref.scope, name)


def makes_iterator(ref: Ref) -> bool:
    """Whether `ref` is a call that makes an iterator with an initializer."""
    func = ref.expr.func if isinstance(ref.expr, Call) else None
    name = func.attr if isinstance(func, Attribute) else func.id if isinstance(func, Name) else ""
    return name in _ITERATOR_MAKERS


def _kind_of_initializer(project: Project, receiver: Ref) -> Kind:
    found = set()
    for origin in _each(project, receiver):
        if makes_iterator(origin):
            found.add(Kind.ITERATOR)
        elif makes_variable(project, origin):
            zero = start_of(project, origin) is Start.ZERO
            found.add(Kind.ZEROS if zero else Kind.VARIABLES)
        else:
            found.add(Kind.OTHER)
    return found.pop() if len(found) == 1 else Kind.OTHER


def _each(project: Project, ref: Ref) -> Iterator[Ref]:
    """The origins of `ref`; for the variable of a loop over a list, those of the list's items."""
    for origin in origins(project, ref):
        facts = project.facts(origin.key)
        assert facts is not None
        known = lookup(facts, origin.scope, origin.expr.id) if isinstance(origin.expr, Name) else None
        looped = [one for one in known.bindings if one.kind in ("for", "comprehension")] if known else []
        if not looped or origin.path:
            yield origin
        for binding in looped:
            scope = facts.statements[binding.statement].scope
            if binding.value is None or binding.path:
                yield origin
                continue
            for made in origins(project, Ref(origin.key, scope, binding.statement, binding.value)):
                yield from _items_of(project, made) or (origin,)


def _items_of(project: Project, ref: Ref) -> tuple[Ref, ...]:
    expr = ref.expr
    if isinstance(expr, Collection):
        return tuple(one for item in expr.items for one in origins(project, ref._replace(expr=item, path=())))
    if isinstance(expr, Comprehension) and expr.kind != "DictComp":
        return origins(project, ref._replace(expr=expr.elements[0], scope=expr.scope, path=()))
    return ()


def _kind_of_some_variables(project: Project, ref: Ref, call: Call) -> Kind:
    given = argument(call, "var_list", 0)
    if given is None:
        return Kind.VARIABLES
    for origin in origins(project, ref._replace(expr=given, path=())):
        if "tensorflow.local_variables" in externals_called(project, origin):
            return Kind.LOCALS
    return Kind.VARIABLES


def _kind_of_assignment(project: Project, ref: Ref, value: Expr | None) -> Kind:
    if value is None:
        return Kind.VARIABLES
    known = value_of(project, ref._replace(expr=value, path=()))
    return Kind.ZEROS if known is Start.ZERO else Kind.VARIABLES
