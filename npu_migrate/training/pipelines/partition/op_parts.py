"""What the parts of an op, or of a list of ops, do, and the list or group that each of them stands in."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import (
    Attribute,
    Call,
    Constant,
    Expr,
    Name,
    argument,
)
from npu_migrate.index.names import ancestors
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.once import once_at
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import externals_called, origins
from npu_migrate.semantics.resolution import external_names
from npu_migrate.training.pipelines.partition.choices import LOOPS, NO_CHOICES, Choices
from npu_migrate.training.pipelines.partition.initial_zeros import Start, makes_variable, start_of, value_of
from npu_migrate.training.pipelines.partition.op_leaves import leaves, looped_items

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


@once_at
def alternatives(project: Project, ref: Ref) -> tuple[tuple[Part, ...], ...]:
    """For each op that `ref` may mean: its parts, through lists, groups, sums and control inputs."""
    return tuple(
        tuple(
            Part(kind_of(project, one.ref), one.ref, one.item, one.container, one.choices)
            for one in leaves(project, origin)
            if not _comes_later(project, ref, one.ref)
        )
        for origin in origins(project, ref)
    )


def _comes_later(project: Project, ref: Ref, leaf: Ref) -> bool:
    """Whether a part is only put into a list or dictionary behind the code at `ref`, in the same function."""
    if (leaf.key, leaf.scope) != (ref.key, ref.scope) or leaf.statement <= ref.statement:
        return False
    facts = project.facts(ref.key)
    assert facts is not None
    around = set(ancestors(facts, ref.statement)) & set(ancestors(facts, leaf.statement))
    return not any(facts.statements[number].kind in LOOPS for number in around)


def kind_of(project: Project, ref: Ref) -> Kind:
    """What the op at `ref`, an origin, does."""
    expr = ref.expr
    if isinstance(expr, Constant):
        return Kind.NOTHING if expr.value is None else Kind.OTHER
    if isinstance(expr, Attribute) and expr.attr == _INITIALIZER:
        return _kind_of_initializer(project, ref._replace(expr=expr.value, path=()))
    if isinstance(expr, (Attribute, Name)):
        return _kind_of_function(external_names(project, ref.key, ref.scope, expr))
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


def _kind_of_function(names: frozenset[str]) -> Kind:
    """What a function makes that stands for its call."""
    if tf.TABLES_INITIALIZER in names:
        return Kind.TABLES
    if "tensorflow.local_variables_initializer" in names:
        return Kind.LOCALS
    return Kind.VARIABLES if names & tf.VARIABLE_INITIALIZERS else Kind.OTHER


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
        looped = () if origin.path else looped_items(project, origin)
        if not looped:
            yield origin
        for item in looped:
            yield from origins(project, item)


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
