"""Values that are 0 for certain, and local variables that may start with another one."""

from __future__ import annotations

import enum
from collections.abc import Iterator

from npu_migrate.index.facts import Call, Collection, Constant, Expr, Lambda, argument, walk
from npu_migrate.project.once import once, once_at_in_cycles
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.flow import externals_called, origins
from npu_migrate.semantics.resolution import external_names

_LOCAL_COLLECTION = "tensorflow.GraphKeys.LOCAL_VARIABLES"
_LOCAL_COLLECTION_NAME = "local_variables"
_LOCAL_MAKERS = ("local_variable", "get_local_variable")
_MAKERS = {
    "tensorflow.Variable": ("initial_value", 0),
    "tensorflow.get_variable": ("initializer", 3),
    "tensorflow.get_local_variable": ("initializer", 3),
    "tensorflow.contrib.framework.local_variable": ("initial_value", 0),
    "tensorflow.contrib.slim.local_variable": ("initial_value", 0),
}
_ZERO_MAKERS = frozenset(
    {
        "tensorflow.zeros",
        "tensorflow.zeros_like",
        "tensorflow.zeros_initializer",
        "tensorflow.initializers.zeros",
        "tensorflow.keras.initializers.zeros",
        "tensorflow.keras.initializers.Zeros",
        "numpy.zeros",
        "numpy.zeros_like",
    }
)
_CONSTANT_MAKERS = {
    "tensorflow.constant": "value",
    "tensorflow.convert_to_tensor": "value",
    "tensorflow.constant_initializer": "value",
    "tensorflow.initializers.constant": "value",
    "tensorflow.cast": "x",
    "tensorflow.fill": "value",
    "numpy.array": "object",
}


class Start(enum.Enum):
    """What is known of the value that a variable starts with."""

    ZERO = enum.auto()
    OTHER = enum.auto()
    UNKNOWN = enum.auto()


def start_of(project: Project, made: Ref) -> Start:
    """The value that the variable starts with which the call at `made` makes."""
    assert isinstance(made.expr, Call)
    for name in sorted(externals_called(project, made) & _MAKERS.keys()):
        value = argument(made.expr, *_MAKERS[name])
        if value is not None:
            return value_of(project, made._replace(expr=value, path=()))
        return Start.OTHER if name.endswith("variable") else Start.UNKNOWN
    return Start.UNKNOWN


def makes_variable(project: Project, ref: Ref) -> bool:
    """Whether `ref` is a call that makes a variable."""
    return isinstance(ref.expr, Call) and bool(externals_called(project, ref) & _MAKERS.keys())


@once_at_in_cycles(Start.UNKNOWN)
def value_of(project: Project, ref: Ref) -> Start:
    """Whether a value is 0, or all 0, for certain."""
    found = {_start(project, origin) for origin in origins(project, ref)}
    return found.pop() if len(found) == 1 else (Start.OTHER if Start.OTHER in found else Start.UNKNOWN)


def _start(project: Project, ref: Ref) -> Start:
    expr = ref.expr
    if isinstance(expr, Constant):
        zero = not isinstance(expr.value, str) and expr.value is not None and not expr.value
        return Start.ZERO if zero else Start.OTHER
    if isinstance(expr, Collection):
        found = {_start(project, ref._replace(expr=item)) for item in expr.items}
        return found.pop() if len(found) == 1 else Start.UNKNOWN
    if isinstance(expr, Lambda):
        return _start(project, ref._replace(expr=expr.body))
    if isinstance(expr, Call):
        called = externals_called(project, ref)
        if called & _ZERO_MAKERS:
            return Start.ZERO
        for name in sorted(called & _CONSTANT_MAKERS.keys()):
            value = argument(expr, _CONSTANT_MAKERS[name], 1 if name == "tensorflow.fill" else 0)
            if value is not None:
                return value_of(project, ref._replace(expr=value))
            return Start.ZERO if name.endswith(("constant_initializer", ".constant")) else Start.UNKNOWN
        return Start.UNKNOWN
    if external_names(project, ref.key, ref.scope, expr) & _ZERO_MAKERS:
        return Start.ZERO
    return Start.UNKNOWN


# -- local variables -----------------------------------------------------------------------------------


def local_start(project: Project, key: str) -> Start:
    """What the local variables of the programs of a file start with; `Start.ZERO` where there are none.

    Those of TensorFlow's metrics are 0, and are not looked for.
    """
    programs = set(project.programs_of(key))
    found = {
        start for home, start in _local_variables(project) if programs.intersection(project.programs_of(home))
    }
    return Start.OTHER if Start.OTHER in found else Start.UNKNOWN if Start.UNKNOWN in found else Start.ZERO


@once
def _local_variables(project: Project) -> tuple[tuple[str, Start], ...]:
    return tuple(_find_local_variables(project))


def _find_local_variables(project: Project) -> Iterator[tuple[str, Start]]:
    for name in ("Variable", "get_variable", "VariableV1", *_LOCAL_MAKERS):
        for key, site in project.calls_named(name):
            ref = ref_of_call(key, site)
            if not makes_variable(project, ref):
                continue
            given = argument(site.call, "collections")
            local = name in _LOCAL_MAKERS or (given is not None and _names_local(project, ref, given))
            if local:
                yield key, start_of(project, ref)


def _names_local(project: Project, ref: Ref, collections: Expr) -> bool:
    for origin in origins(project, ref._replace(expr=collections)):
        for part in walk(origin.expr):
            if isinstance(part, Constant) and part.value == _LOCAL_COLLECTION_NAME:
                return True
            if _LOCAL_COLLECTION in external_names(project, origin.key, origin.scope, part):
                return True
    return False
