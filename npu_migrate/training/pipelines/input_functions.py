"""Which functions are input functions of an Estimator, and which run inside a dataset or a graph loop."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Literal

from npu_migrate.index.facts import NOTHING, Attribute, Call, Lambda, last_name
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.once import once, once_in_cycles
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.callers import is_wrapped
from npu_migrate.semantics.calls.function_calls import all_calls_of
from npu_migrate.semantics.flow import externals_called, is_partial, named_definitions, origins
from npu_migrate.semantics.resolution import Definition, scope_of
from npu_migrate.semantics.uses import Use, uses

_DATASET_METHODS = frozenset(
    {"map", "filter", "flat_map", "interleave", "map_and_batch", "parallel_interleave", "reduce", "apply"}
)
_CONTROL_FLOW = frozenset(
    {
        "tensorflow.cond",
        "tensorflow.case",
        "tensorflow.while_loop",
        "tensorflow.map_fn",
        "tensorflow.scan",
    }
)
_DATASET_FUNCTIONS = frozenset(
    {"tensorflow.data.experimental.map_and_batch", "tensorflow.contrib.data.map_and_batch"}
)
_PYTHON_FUNCTIONS = frozenset({"tensorflow.py_func", "tensorflow.data.Dataset.from_generator"})
"""What calls a function again and again when the graph runs; its code is no part of the graph."""

_PREDICTING = "predict"

Employment = Literal["only", "tensors", "also", "no"]
"""Whether a function serves as an input function: for nothing else, where a dataset is taken or only tensors
are; among other things; or not at all."""

_TAKES_TENSORS = "tensorflow.contrib.learn."
"""What the Estimators and experiments begin with that unpack what an input function returns."""

_UNPACKING_METHODS = frozenset({"fit", "partial_fit"})
"""Methods that only these Estimators have."""


@once_in_cycles("no")
def input_employment(project: Project, definition: Definition) -> Employment:
    """How far a function, lambda or factory-made function is used as an Estimator's input function."""
    return _employment(project, definition)


def _employment(project: Project, definition: Definition) -> Employment:
    found = {_service(project, use) for use in _uses_of_function(project, definition)}
    for site in all_calls_of(project, definition):
        outer = _lambda_returning(project, site)
        service = "no" if outer is None else input_employment(project, outer)
        found.add("no" if service == "also" else service)
    if not found - {"no"}:
        return "no"
    scope = scope_of(project, definition)
    if "no" in found or definition.key in project.programs.ambiguous or is_wrapped(scope):
        return "also"
    return "tensors" if "tensors" in found else "only"


def is_given_to_predict_only(project: Project, definition: Definition) -> bool:
    """Whether a function is used as an input function, and only ``predict`` of an Estimator ever gets it."""
    if input_employment(project, definition) != "only":
        return False
    given = [use.ref.expr for use in _uses_of_function(project, definition)]
    return all(isinstance(call, Call) and last_name(call.func) == _PREDICTING for call in given)


def _lambda_returning(project: Project, site: Ref) -> Definition | None:
    """The lambda whose body is just this call."""
    outer = project.parent_ref(site)
    if outer is not None and isinstance(outer.expr, Lambda) and outer.expr.body is site.expr:
        return Definition(site.key, outer.expr.scope)
    return None


def _service(project: Project, use: Use) -> Employment:
    call = use.ref.expr
    if use.kind != "argument" or not isinstance(call, Call):
        return "no"
    called = externals_called(project, use.ref)
    method = call.func.attr if isinstance(call.func, Attribute) else ""
    if not use.name.endswith("input_fn"):
        trains = method in tf.ESTIMATOR_METHODS and any("stimator" in name for name in called)
        if use.name != "0" or not (called & tf.ESTIMATOR_SPECS or trains):
            return "no"
    unpacks = method in _UNPACKING_METHODS or any(name.startswith(_TAKES_TENSORS) for name in called)
    return "tensors" if unpacks else "only"


@once
def references(project: Project, definition: Definition) -> tuple[Ref, ...]:
    """Every place that reads the function as a value: by name, through its module, or as a method."""
    return tuple(_references(project, definition))


def _references(project: Project, definition: Definition) -> Iterator[Ref]:
    facts = project.facts(definition.key)
    assert facts is not None
    scope = scope_of(project, definition)
    if scope.kind == "lambda":
        for site in project.sites(definition.key, scope.statement).values():
            if isinstance(site.expr, Lambda) and site.expr.scope == definition.scope:
                yield project.ref_of(definition.key, site)
        return
    for key in _files_that_can_see(project, definition, facts.scopes[scope.parent].kind):
        other = project.facts(key)
        if other is None or scope.name not in other.words:
            continue
        for site in (*project.names(key, scope.name), *project.attributes(key, scope.name)):
            called = isinstance(site.parent, Call) and site.parent.func is site.expr
            ref = project.ref_of(key, site)
            if not site.stored and not called and definition in named_definitions(project, ref):
                yield ref


def _files_that_can_see(project: Project, definition: Definition, parent: str) -> Iterable[str]:
    """The files whose code may name a function that is defined in a module, a class or another function."""
    if parent == "class":
        return project.files_mentioning(scope_of(project, definition).name)
    if parent == "module":
        return (definition.key, *project.importers(definition.key))
    return (definition.key,)


def _uses_of_function(project: Project, definition: Definition) -> Iterator[Use]:
    for ref in references(project, definition):
        yield from _final_uses(project, ref, 0)


def _final_uses(project: Project, ref: Ref, depth: int) -> Iterator[Use]:
    """The uses of a function value, through ``functools.partial``; calls of it are no uses of the value."""
    for use in uses(project, ref):
        if use.kind == "call":
            continue
        if use.kind == "argument" and is_partial(project, use.ref) and depth < 3:
            yield from _final_uses(project, use.ref, depth + 1)
        else:
            yield use


def runs_in_dataset(project: Project, key: str, scope: int) -> bool:
    """Whether the code of `scope` runs inside a dataset function or a graph conditional or loop.

    That is: it, a function around it or one that calls it is handed to ``Dataset.map``, ``tf.cond``, …, or
    to ``tf.py_func``.
    """
    return _runs_in(project, key, scope, _DATASET_FUNCTIONS | _CONTROL_FLOW | _PYTHON_FUNCTIONS)


def runs_apart_from_graph(project: Project, key: str, scope: int) -> bool:
    """The same without graph conditionals and loops, whose code makes ops of the graph around them."""
    return _runs_in(project, key, scope, _DATASET_FUNCTIONS | _PYTHON_FUNCTIONS)


def runs_in_graph_function(project: Project, key: str, scope: int) -> bool:
    """The same without ``tf.py_func`` and generators, whose code builds graphs of its own."""
    return _runs_in(project, key, scope, _DATASET_FUNCTIONS | _CONTROL_FLOW)


@once
def _runs_in(project: Project, key: str, scope: int, functions: frozenset[str]) -> bool:
    seen: set[Definition] = set()
    waiting = _functions_around(project, key, scope)
    while waiting:
        function = waiting.pop()
        if function in seen:
            continue
        seen.add(function)
        if _is_handed_to(project, function, functions):
            return True
        for site in all_calls_of(project, function):
            waiting.extend(_functions_around(project, site.key, site.scope))
    return False


def _functions_around(project: Project, key: str, scope: int) -> list[Definition]:
    """The functions and lambdas that the code of a scope lies in, the innermost last."""
    facts = project.facts(key)
    assert facts is not None
    found: list[Definition] = []
    current = facts.scopes[scope]
    while current.parent != NOTHING:
        if current.kind in ("function", "lambda"):
            found.append(Definition(key, current.id))
        current = facts.scopes[current.parent]
    return found[::-1]


@once
def _is_handed_to(project: Project, function: Definition, functions: frozenset[str]) -> bool:
    return any(
        use.kind == "argument" and _calls_one_of(project, use.ref, functions)
        for use in _uses_of_function(project, function)
    )


def _calls_one_of(project: Project, ref: Ref, functions: frozenset[str]) -> bool:
    """Whether the call at `ref` is one of `functions`, or a method of a dataset that takes functions."""
    call = ref.expr
    if not isinstance(call, Call):
        return False
    if externals_called(project, ref) & functions:
        return True
    if not isinstance(call.func, Attribute) or call.func.attr not in _DATASET_METHODS:
        return False
    return _may_be_dataset(project, ref._replace(expr=call.func.value))


def _may_be_dataset(project: Project, ref: Ref) -> bool:
    """Whether an object may be a dataset: not if only libraries without datasets make it, as the pools of
    ``concurrent.futures`` are made."""
    makers = [externals_called(project, origin) for origin in origins(project, ref)]
    return not all(names and all(map(_has_no_datasets, names)) for names in makers)


def _has_no_datasets(name: str) -> bool:
    """Whether a function belongs to Python's own library, or to pandas."""
    package, _, _ = name.partition(".")
    return package in sys.stdlib_module_names or package == "pandas"
